import { nextStep } from '../item/advise.ts'
import { GRACE } from '../item/task.ts'
import { type Pause, subjectOf } from '../../../library/entries/sweeper/pause/pauseRow.ts'
import { formatTime, timeIn } from '../text/humanTime.ts'
import type { StatusFinding } from './finding.ts'
import { readCircuit } from '../../../library/features/circuitBreaker/circuit.ts'
import type { Store } from '../../../library/protocol/store/store.ts'
import { readCircuits, readItems, itemOf } from '../../../library/entries/sweeper/due/listDue.ts'
import type { TableReader } from '../aws/tableReader.ts'
import { listAudit, isOfMany } from '../audit/listAudit.ts'
import { loadOperation, type BulkOperation } from '../dlq/operation.ts'

/** What operators have paused. A pause is a note, until it should have ended, or if it was begun and not finished. */
export function pauseStatus(pauses: readonly Pause[], now: number): readonly StatusFinding[] {
  return pauses.map((pause) => ({
    severity: isLate(pause, now) ? 'warn' : 'note',
    kind: 'paused',
    of: subjectOf(pause),
    number: 1,
    atLeast: false,
    since: pause.since,
    what: describe(pause, now),
    ...nextStep({ action: 'resume', options: { mapping: pause.mapping } }),
  }))
}

function isLate({ state, until = Infinity, since }: Pause, now: number): boolean {
  return until + GRACE < now || (state !== 'paused' && since + GRACE < now)
}

function describe({ state, by, why, until }: Pause, now: number): string {
  if (state !== 'paused') return `${state}, begun by ${by} and not finished: ${why}`
  if (until === undefined) return `by ${by}, until it is resumed: ${why}`
  const end = formatTime(until, now)
  return until > now
    ? `by ${by} until ${end}: ${why}`
    : `by ${by}; it should have ended ${end}, and the sweeper has not resumed it: ${why}`
}

/**
 * Consumers and stages whose circuit is open.
 * @throws StoreUnavailableError
 */
export async function circuitStatus(store: Store, now: number): Promise<readonly StatusFinding[]> {
  const circuits = await readCircuits(store)
  const keys = circuits.keys.map(({ pk, sk }) => ({ pk, sk }))
  if (keys.length === 0) return []
  return (await readItems(store, keys))
    .flatMap((seen) => readCircuit(itemOf(seen, () => {})) ?? [])
    .map(({ name, since, probeAt, error }) => ({
      severity: 'warn',
      kind: 'circuitOpen',
      of: name,
      number: 1,
      atLeast: false,
      since,
      what: `no handler is started until a probe completes; the next one ${formatTime(probeAt, now)}: ${error}`,
      // Nothing needs to be done; for a known time a pause saves the probes and the receives.
      ...nextStep({ action: 'pause', options: { consumer: name, for: '1h' } }),
    }))
}

/** Older ones are in the audit. */
const LOOK_BACK = 24 * 60 * 60_000

/**
 * Changes of many items that run, or that have ended before they were done: a second one beside them would change the same items.
 * @throws StoreUnavailableError
 */
export async function operationStatus(
  reader: Pick<TableReader, 'partition'>,
  store: Store,
  now: number,
): Promise<readonly StatusFinding[]> {
  const names = new Set<string>()
  for await (const entry of listAudit(reader, { since: now - LOOK_BACK, now })) {
    if (isOfMany(entry)) names.add(entry.plan)
  }
  const operations = await Promise.all([...names].map(async (name) => loadOperation(store, name)))
  return operations.flatMap((operation) => (operation === undefined ? [] : ofOne(operation, now)))
}

function ofOne(operation: BulkOperation, now: number): readonly StatusFinding[] {
  const { name, state, action, planned, done, by, because, at } = operation
  if (state === 'done') return justRedriven(operation, now)
  if (state === 'planned') return []
  const isKilled = state === 'running' && operation.leaseUntil <= now
  const word = isKilled ? 'its command was killed' : state
  const why = because === undefined ? '' : `: ${because}`
  return [
    {
      severity: state === 'running' && !isKilled ? 'note' : 'warn',
      kind: 'operation',
      of: `${action} ${name}`,
      // What it has not dealt with is counted where it waits.
      number: 1,
      atLeast: false,
      since: Date.parse(at),
      what: `${word}, ${done} of ${planned} done, by ${by}${why}`,
      ...nextStep({ action: 'status', options: { plan: name } }),
    },
  ]
}

/** So long the cure of a problem explains what is still counted, milliseconds. */
const JUST = 10 * 60_000

/** What was sent back may die again: that it was recorded is not that it has helped. */
function justRedriven(
  { name, action, planned, done, failed, by, at, endedAt }: BulkOperation,
  now: number,
): readonly StatusFinding[] {
  const end = timeIn(endedAt)
  // An end that is not known counts as recent, and is said to be so.
  if (action !== 'dlq redrive' || (end !== undefined && end < now - JUST)) return []
  const again = failed === 0 ? '' : `, of which ${failed} have failed again`
  const when = end === undefined ? ' (when it ended is not known)' : ''
  const what = `${done} of ${planned} done${again}, by ${by}${when}: wait until their consumer has had them, then look again`
  const since = Date.parse(at)
  const about = { severity: 'note', kind: 'operation', number: 1, atLeast: false, since } as const
  const next = nextStep({ action: 'status', options: { plan: name } })
  return [{ ...about, of: `${action} ${name}`, what, ...next }]
}
