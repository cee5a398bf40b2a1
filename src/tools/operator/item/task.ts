import {
  readAwaiting,
  stepIdOf,
  stepNameIn,
} from '../../../library/protocol/claim/awaiting/awaiting.ts'
import { readExternalIds } from '../../../library/protocol/claim/awaiting/saveAwaiting.ts'
import { readToken } from '../../../library/protocol/claim/token/token.ts'
import {
  hasDeadLetter,
  isAtEnd,
  leaseOf,
} from '../../../library/protocol/claim/stage/stageEntry.ts'
import {
  readStageRecord,
  readStages,
  type StageRun,
} from '../../../library/protocol/claim/stage/stageRecord.ts'
import { requestIn } from '../../../library/protocol/claim/stage/version.ts'
import { isDelayedKey } from '../../../library/protocol/claim/delayed/delayedRow.ts'
import type { Item, StoreKey } from '../../../library/protocol/store/store.ts'
import { itemKey } from '../../../library/entries/sweeper/address.ts'
import { displayId, splitId } from '../text/itemId.ts'
import { nonEmptyText, timeIn } from '../text/humanTime.ts'
import type { AdvisedCommand } from './advise.ts'

/**
 * `token`: a request or a key. `flow`: a run. `step`: an awaited step. `dead`: a dead run. `event`: accepted, not yet queued.
 * `delayed`: a message that the sweeper sends when it is due. `notKnown`: a newer version has written it.
 */
type TaskKind = 'token' | 'flow' | 'step' | 'dead' | 'event' | 'delayed' | 'notKnown'

/** What is late by less may be hidden, resent, taken over or swept meanwhile, milliseconds. */
export const GRACE: number = 2 * 60_000

/** An open item, or one that waits for an operator. Times are epoch milliseconds. */
export interface Task {
  readonly kind: TaskKind
  /** `consumer/ID` or `flow/KEY`, as the commands accept it. */
  readonly id: string
  readonly pk: string
  readonly sk: string
  /** Consumer, key name or flow. */
  readonly of: string
  readonly status: string
  /** Open stages of a flow; the name of a step. */
  readonly stages: readonly string[]
  readonly uniqueRequestId: string | undefined
  /** Last claim, or first sending. */
  readonly since: number | undefined
  /** When it should have continued. */
  readonly dueAt: number | undefined
  /** Until when an attempt may run; 0: no attempt is running. */
  readonly leaseUntil: number
  readonly attempt: number | undefined
  /** Who has claimed it: `function/invocation`, or what the owner of a lock calls itself. */
  readonly by?: string | undefined
  /** When the run of a flow is ended, if it has not ended before. */
  readonly giveUpAt?: number | undefined
  readonly why: string | undefined
  readonly reason: string | undefined
  readonly error: string | undefined
  /** It has died, and its dead letter was sent. */
  readonly lettered: boolean
  /** External ids of a step that are not answered, as far as the item holds them. */
  readonly externalIds?: readonly string[] | undefined
}

/** What can be said of an item that is not known to this version: where the index lists it, and why it is left alone. */
export function unknownTask(key: StoreKey, status: string, { message }: Error): Task {
  const known = taskAt(key, status, {})
  return { ...known, kind: 'notKnown', why: 'written by a newer version', error: message }
}

function taskAt({ pk, sk }: StoreKey, status: string, item: Item): Omit<Task, 'kind'> {
  const { dueAt, death = 0 } = item
  return {
    id: displayId(pk),
    pk,
    sk,
    of: splitId(pk).owner,
    status,
    stages: [],
    uniqueRequestId: nonEmptyText(item['uniquerequestid']),
    since: timeIn(item['created']),
    dueAt: typeof dueAt === 'number' ? dueAt : undefined,
    leaseUntil: 0,
    attempt: undefined,
    why: whyOf(item),
    reason: nonEmptyText(item['reason']),
    error: nonEmptyText(item['error']),
    lettered: Number(death) > 0,
  }
}

/** @returns undefined when the item is not in the status index, so that there is nothing to do */
export function taskOf(item: Item): Task | undefined {
  const { statusShard } = item
  if (typeof statusShard !== 'string') return undefined
  const { pk, sk } = itemKey(item)
  const [status = ''] = statusShard.split('#')
  const common = taskAt({ pk, sk }, status, item)
  if (sk === 'stage') return { ...common, kind: 'flow', ...flowPart(item) }
  if (sk.startsWith('await#')) return { ...common, kind: 'step', ...stepPart(item) }
  if (sk.startsWith('dead#')) return { ...common, kind: 'dead', ...deadPart(item) }
  if (isDelayedKey(pk)) return { ...common, kind: 'delayed', ...delayedPart(item) }
  if (item['status'] === 'accepted') return { ...common, kind: 'event', status: 'accepted' }
  const token = readToken(item)
  // An attempt that was taken for lost has completed: the next sweep takes it out of the index.
  if (token?.status === 'complete') return undefined
  return {
    ...common,
    kind: 'token',
    uniqueRequestId: splitId(pk).rest,
    leaseUntil: token?.leaseUntil ?? 0,
    attempt: token?.attempt,
    by: nonEmptyText(item['lockedBy']),
  }
}

function stepPart(item: Item): Partial<Task> {
  const name = stepNameIn(itemKey(item))
  const awaiting = readAwaiting(item)
  const externalIds = readExternalIds(item).filter((id) => {
    const stepId = awaiting && stepIdOf(name, id, awaiting.uniqueRequestId)
    return stepId !== undefined && awaiting?.steps.get(stepId) === undefined
  })
  if (externalIds.length === 0) return { stages: [name] }
  return { stages: [name], externalIds, why: `waits for ${externalIds.join(', ')}` }
}

function flowPart(item: Item): Partial<Task> {
  const record = readStageRecord(item)
  if (record?.run === undefined) return { stages: [], leaseUntil: 0 }
  const { run, newest } = record
  const open = [...run.stages].filter(([, entry]) => !isAtEnd(entry))
  const isNewest = newest !== undefined && requestIn(newest) === run.uniqueRequestId
  return {
    stages: open.map(([name]) => name),
    leaseUntil: runLeaseUntil(run),
    giveUpAt: run.giveUpAt,
    since: isNewest ? firstSentAt(newest) : undefined,
  }
}

function deadPart(item: Item): Partial<Task> {
  const dead = [...(readStages(item) ?? [])].filter(([, entry]) => entry.status === 'dead')
  const [reason] = dead.flatMap(([, entry]) => (entry.status === 'dead' ? entry.reason : []))
  const lettered = dead.some(([, entry]) => hasDeadLetter(entry))
  return { stages: dead.map(([name]) => name), reason, lettered }
}

/** The flow of a flow's message, and the stage that has sent it. `why`: the queue, and the request that has sent it. */
function delayedPart({ by, run, queue, uniquerequestid }: Item): Partial<Task> {
  const sender = nonEmptyText(by) ?? ''
  const request = nonEmptyText(uniquerequestid) ?? ''
  const flow = typeof run === 'string' ? splitId(run).owner : undefined
  const from = typeof run === 'string' ? `${displayId(run)} ${request}` : `${sender}/${request}`
  const why = `to ${(nonEmptyText(queue) ?? '').split(/[/:]/).at(-1)}, for ${from}`
  return flow === undefined
    ? { of: sender, why }
    : { of: flow, stages: [sender.slice(flow.length + 1)], why }
}

/** When the request of a version was first sent, epoch milliseconds. */
export function firstSentAt(version: string): number {
  return Number(version.slice(0, version.indexOf('#')))
}

/** Until when an attempt of any stage may run; 0: no attempt is running. */
export function runLeaseUntil(run: StageRun): number {
  return Math.max(0, ...[...run.stages.values()].map(leaseOf))
}

function whyOf({ reason, error }: Item): string | undefined {
  const parts = [nonEmptyText(reason), nonEmptyText(error)].filter((part) => part !== undefined)
  return parts.length === 0 ? undefined : parts.join(': ')
}

export function explainTask({ id, kind, uniqueRequestId }: Task): AdvisedCommand {
  return {
    action: 'explain',
    positionals: { id },
    options: kind === 'dead' && uniqueRequestId !== undefined ? { request: uniqueRequestId } : {},
  }
}

/**
 * Name of the dead-letter queue of a consumer.
 * @param by as its tokens identify it; undefined: they do not
 * @returns undefined: it is not known
 */
export type HomeQueue = (by: string | undefined) => string | undefined

export const NO_HOME: HomeQueue = () => undefined
