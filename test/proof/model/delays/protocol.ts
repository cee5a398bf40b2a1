import {
  closeDelayed,
  postponeDelayed,
} from '../../../../src/library/protocol/claim/delayed/delayedRow.ts'
import {
  type DelayedVerdict,
  judgeDelayed,
} from '../../../../src/library/features/delay/judgeDelayed.ts'
import { dead } from './state.ts'

/** The shipped decisions and writes, and the order of the steps around them. */
export interface Protocol {
  readonly judge: typeof judgeDelayed
  readonly close: typeof closeDelayed
  readonly postpone: typeof postponeDelayed
  readonly rowBeforeSettle: boolean
  readonly sendBeforeClose: boolean
  readonly createIfAbsent: boolean
  readonly readsRow: boolean
  /** A closed row stays as a tombstone. */
  readonly keepsClosed: boolean
  /** What is kept of the death of a redriven run is closed before the run ends. */
  readonly closesBeforeReset: boolean
}

export const SHIPPED: Protocol = {
  judge: judgeDelayed,
  close: closeDelayed,
  postpone: postponeDelayed,
  rowBeforeSettle: true,
  sendBeforeClose: true,
  createIfAbsent: true,
  readsRow: true,
  keepsClosed: true,
  closesBeforeReset: true,
}

const SEND = { kind: 'send' } as const

/** Without the rule that a row waits. */
function withoutWaiting(instead: DelayedVerdict): Partial<Protocol> {
  return {
    judge: (row, seen, now) => {
      const given = judgeDelayed(row, seen, now)
      return given.kind === 'wait' ? instead : given
    },
  }
}

type Seen = Parameters<typeof judgeDelayed>[1]

/** A rule that does not see this part of the run. */
function blind(change: (seen: Seen, now: number) => Seen): Partial<Protocol> {
  return { judge: (row, seen, now) => judgeDelayed(row, change(seen, now), now) }
}

/** Every dead run looks as if it had a dead letter. */
const AS_DEAD = blind(({ record, parked }) => ({
  record,
  parked: parked && { ...parked, 'stage:book': dead('terminal')['stage:book'] ?? '' },
}))
const WITHOUT_NEWEST = blind(({ record, parked }) => {
  const { newest: _newest, ...rest } = record ?? {}
  return { record: record && rest, parked }
})
const JUST_DIED = blind(({ record, parked }, now) => ({
  record,
  parked: parked && { ...parked, created: new Date(now).toISOString() },
}))

export interface Weakened {
  readonly name: string
  readonly scenario: string
  readonly change: Partial<Protocol>
}

/** Each is a simpler protocol, and has to break in its scenario. */
export const WEAKENED: readonly Weakened[] = [
  weak('the row is written after the end', 'two sweepers', { rowBeforeSettle: false }),
  weak('the row is closed before it is sent', 'two sweepers', { sendBeforeClose: false }),
  weak('a sent row is deleted', 'two sweepers', { keepsClosed: false }),
  weak('the index is believed', 'two sweepers', { readsRow: false }),
  weak('a row is written even if there is one', 'two sweepers', { createIfAbsent: false }),
  weak('a dead run still sends', 'dead and redriven', withoutWaiting(SEND)),
  weak('a run that was given up is taken for one with a dead letter', 'given up', AS_DEAD),
  weak('a dead run waits after a newer request', 'dead, then another request', WITHOUT_NEWEST),
  weak('a dead run waits for ever', 'dead and redriven', JUST_DIED),
  weak('a message to a stage waits for its run', 'dead, to a stage of its own', {
    judge: ({ message: _its, ...row }, seen, now) => judgeDelayed(row, seen, now),
  }),
  weak('the death of a redriven run is closed after its end', 'redriven, then another request', {
    closesBeforeReset: false,
  }),
  weak('rows of a dead run stay due', 'dead and redriven', {
    postpone: (row) => ({ ...postponeDelayed(row, row.due), set: { dueAt: row.due } }),
  }),
]

function weak(name: string, scenario: string, change: Partial<Protocol>): Weakened {
  return { name, scenario, change }
}
