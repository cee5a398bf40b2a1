import { readToken, type Token } from '../../../library/protocol/claim/token/token.ts'
import type { Messenger } from '../../../library/protocol/send/messenger.ts'
import type { Store } from '../../../library/protocol/store/store.ts'
import { displayId, splitId } from '../text/itemId.ts'
import type { BoundEnd } from '../dlq/bound.ts'
import type { Orders } from '../dlq/operation.ts'
import {
  loadItems,
  readItems,
  type ReadItem,
} from '../../../library/entries/sweeper/due/listDue.ts'
import { mapInOrder } from '../../../library/entries/sweeper/due/concurrency.ts'
import { optionWord } from '../text/commandLine.ts'
import { applyPlan, planFingerprint, type ChangePlan, type PlannedChange } from './applyPlan.ts'
import { listParked } from './groupTokens.ts'

interface GroupChange {
  readonly store: Store
  /** The plan for one of them. */
  readonly plan: (token: Token, now: number) => ChangePlan
  /** What the operator typed: part of the name of each plan. */
  readonly args: readonly string[]
  readonly clock: { now(): number }
  readonly signal?: AbortSignal
  readonly onProgress?: (looked: number, of: number) => void
}

interface LeftToken {
  readonly id: string
  readonly because: string
}

export interface GroupChangeReport {
  readonly mode: 'plan' | 'apply'
  /** Those that would be changed, or were. */
  readonly changed: readonly string[]
  /** What would become of them: each text once. */
  readonly changes: readonly string[]
  readonly left: readonly LeftToken[]
  /** In that state already: by an earlier run of the plan, or by another command. */
  readonly already: number
  /** Some of them have a dead letter. */
  readonly deadLettered: boolean
  /** The group has more than one plan holds. */
  readonly more: boolean
  readonly ended: BoundEnd
}

/** Most items of one plan. The next plan takes the rest. */
const MOST = 10_000

/** @throws StoreUnavailableError */
export async function planGroup(
  group: string,
  change: GroupChange,
  onPlanned: (token: PlannedToken) => void,
): Promise<GroupChangeReport> {
  const { store, plan, args, clock, signal, onProgress } = change
  const report = newReport('plan')
  let looked = 0
  for await (const parked of listParked(store)) {
    if (signal?.aborted === true) return { ...report, ended: 'aborted' }
    onProgress?.((looked += 1), looked)
    if (parked.group !== group) continue
    if (report.changed.length === MOST) return { ...report, more: true }
    const { token } = parked
    const planned = plan(token, clock.now())
    if (planned.kind !== 'change') {
      report.left.push({ id: planned.id, because: planned.because })
      continue
    }
    onPlanned({ pk: token.pk, plan: planFingerprint(planned, args) })
    count(report, planned, token)
  }
  return report
}

const TOGETHER = 100

interface ApplyChange extends GroupChange {
  readonly by: string
  readonly why: string
  readonly messenger: Messenger
  readonly onPage: (done: number) => Promise<Orders>
}

/**
 * Changes those of the plan that are as they were shown. Each write is conditional on what it shows, so that one that changes at the
 * same time is left, too.
 * @throws StoreUnavailableError
 */
export async function applyGroup(
  tokens: readonly PlannedToken[],
  change: ApplyChange,
): Promise<GroupChangeReport> {
  const report = newReport('apply')
  for (let start = 0; start < tokens.length; start += TOGETHER) {
    if (change.signal?.aborted === true) return { ...report, ended: 'aborted' }
    const page = tokens.slice(start, start + TOGETHER)
    const keys = page.map(({ pk }) => ({ pk, sk: 'token' }))
    const items = await readItems(change.store, keys)
    const jobs = page.map((planned, at) => ({ ...planned, seen: items[at] }))
    for await (const [{ pk }, end] of mapInOrder(jobs, (job) => applyOne(job, change))) {
      if (end === 'already') report.already += 1
      else if ('because' in end) report.left.push({ id: displayId(pk), because: end.because })
      else count(report, end.planned, end.token)
    }
    change.onProgress?.(start + page.length, tokens.length)
    const orders = await change.onPage(report.changed.length)
    if (orders !== undefined) return { ...report, ended: orders }
  }
  return report
}

type OneEnd =
  | 'already'
  | { readonly because: string }
  | { readonly planned: PlannedChange; readonly token: Token }

async function applyOne(
  { seen, ...shown }: PlannedToken & { readonly seen: ReadItem | undefined },
  change: ApplyChange,
): Promise<OneEnd> {
  const { store, plan, args, clock, by, why, messenger } = change
  const now = clock.now()
  if (seen?.kind === 'notKnown') return { because: seen.error.message }
  const token = seen?.item && readToken(seen.item)
  if (token === undefined) return { because: 'it is not there any more' }
  const planned = plan(token, now)
  if (planned.kind === 'nothing') return 'already'
  if (planned.kind !== 'change') return { because: planned.because }
  if (planFingerprint(planned, args) !== shown.plan) return CHANGED
  const { kind } = await applyPlan(store, planned, { by, why, force: false, now, messenger })
  if (kind === 'applied') return { planned, token }
  // A write of this plan that was on its way when its command was killed.
  const [after] = await loadItems(store, [{ pk: shown.pk, sk: 'token' }])
  const current = after && readToken(after)
  return current !== undefined && plan(current, now).kind === 'nothing' ? 'already' : CHANGED
}

const CHANGED = { because: 'it has changed since the plan was made' } as const

interface Counted extends GroupChangeReport {
  readonly changed: string[]
  readonly left: LeftToken[]
  changes: readonly string[]
  already: number
  deadLettered: boolean
}

function newReport(mode: GroupChangeReport['mode']): Counted {
  const counts = { changed: [], changes: [], left: [], already: 0 }
  return { mode, ...counts, deadLettered: false, more: false, ended: 'complete' }
}

/** A command for one of them is the same text for all. */
function count(report: Counted, { id, changes }: PlannedChange, { pk, death }: Token): void {
  const own = optionWord('--id', splitId(pk).rest)
  const shared = changes.map((text) => text.replace(own, '--id ID'))
  report.changed.push(id)
  report.changes = [...new Set([...report.changes, ...shared])]
  report.deadLettered ||= death > 0
}

/** A request or key of a plan, and what its own plan was called: another name means that it has changed. */
export interface PlannedToken {
  readonly pk: string
  readonly plan: string
}
