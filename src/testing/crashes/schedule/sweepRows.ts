import { deadRunKey } from '../../../library/protocol/claim/stage/deadRun.ts'
import {
  closeDelayed,
  type Delayed,
  readDelayed,
} from '../../../library/protocol/claim/delayed/delayedRow.ts'
import { judgeDelayed } from '../../../library/features/delay/judgeDelayed.ts'
import type { Item, StoreKey } from '../../../library/protocol/store/store.ts'
import { lastSegment } from '../../queues/description.ts'
import { accept } from '../cloud/messaging.ts'
import { queueOf, type ScheduleContext } from '../simulation/scheduleContext.ts'
import { mayHappen, type NextEvent } from '../simulation/simulation.ts'

interface DueRow {
  readonly row: Delayed
  readonly dueAt: number
}

export function dueRows(context: ScheduleContext): readonly DueRow[] {
  return judgedRows(context).flatMap(([row, { kind }]) =>
    kind === 'send' ? [{ row, dueAt: row.due }] : [],
  )
}

/** Rows that wait for the redrive of their run. */
export function waitingRows(context: ScheduleContext): readonly Delayed[] {
  return judgedRows(context).flatMap(([row, { kind }]) => (kind === 'wait' ? [row] : []))
}

function judgedRows({ base, simulation }: ScheduleContext) {
  const items = base.items()
  const at = ({ pk, sk }: StoreKey): Item | undefined =>
    items.find((item) => item['pk'] === pk && item['sk'] === sk)
  return items.flatMap((item) => {
    const row = readDelayed(item)
    if (row?.status !== 'due') return []
    const record = { pk: row.recordPk ?? '', sk: 'stage' }
    const seen = { record: at(record), parked: at(deadRunKey(record, row.uniqueRequestId)) }
    return [[row, judgeDelayed(row, seen, simulation.now)] as const]
  })
}

/** The sweeper sends a row; or it is killed before it closes the row, and a later run sends it again. */
export function sweepEvents(context: ScheduleContext, time: number): readonly NextEvent[] {
  const { simulation } = context
  return dueRows(context)
    .filter(({ dueAt }) => dueAt <= time)
    .flatMap(({ row }): NextEvent[] => {
      const whole = (): void => {
        simulation.now = Math.max(simulation.now, time)
        send(context, row)
        close(context, row)
      }
      const words = `the sweeper sends the delayed message to ${lastSegment(row.queue)}`
      const done: NextEvent = { words, fault: undefined, take: whole }
      if (!mayHappen(simulation, 'killed on the wire')) return [done]
      const killed: NextEvent = {
        words: `${words}, and is killed before it closes the row`,
        fault: 'killed on the wire',
        take: () => {
          simulation.now = Math.max(simulation.now, time)
          send(context, row)
        },
      }
      return [done, killed]
    })
}

function send(context: ScheduleContext, { message, queue }: Delayed): void {
  if (message === undefined) return
  const target = lastSegment(queue)
  const { delivered: messages } = queueOf(context, target)
  accept(context, { queue: target, messages }, target, message)
}

function close({ base, history, simulation }: ScheduleContext, row: Delayed): void {
  void base
    .update([closeDelayed(row, 'sent', simulation.now)])
    .then(() => history.note([row.key], simulation.now))
}
