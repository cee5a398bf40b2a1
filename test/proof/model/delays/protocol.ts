import { closeDelayed, postponeDelayed } from '../../../../src/delay/delayedRow.ts'
import { type DelayedVerdict, judgeDelayed } from '../../../../src/delay/judgeDelayed.ts'

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
  /** Taking a run back voids the rows that are there. */
  readonly voidsRowsFound: boolean
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
  voidsRowsFound: false,
}

const SEND = { kind: 'send' } as const

/** Without the rule that ends in `verdict`; `parked`: only if the run is parked, or only if it is not. */
function without(
  verdict: 'void' | 'wait',
  instead: DelayedVerdict,
  parked?: boolean,
): Partial<Protocol> {
  return {
    judge: (row, seen, now) => {
      const given = judgeDelayed(row, seen, now)
      const isIt = parked === undefined || parked === (seen.parked !== undefined)
      return given.kind === verdict && isIt ? instead : given
    },
  }
}

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
  weak('a run that was taken back is not asked for', 'superseded', without('void', SEND)),
  weak('a run is taken back by voiding the rows found', 'created late', {
    ...without('void', SEND),
    voidsRowsFound: true,
  }),
  weak('an ending run still sends', 'superseded', without('wait', SEND, false)),
  weak('a dead run still sends', 'dead and redriven', without('wait', SEND, true)),
  weak(
    'rows of a dead run are voided',
    'dead and redriven',
    without('wait', { kind: 'void' }, true),
  ),
  weak('rows of a dead run stay due', 'dead and redriven', {
    postpone: (row) => ({ ...postponeDelayed(row, row.due), set: { dueAt: row.due } }),
  }),
]

function weak(name: string, scenario: string, change: Partial<Protocol>): Weakened {
  return { name, scenario, change }
}
