import { deadRunKey } from '../../../claim/stage/deadRun.ts'
import { closeDelayed, type Delayed, readDelayed } from '../../../features/delay/delayedRow.ts'
import { judgeDelayed } from '../../../features/delay/judgeDelayed.ts'
import type { QueueMessage, Messenger } from '../../../send/messenger.ts'
import type { Item, StoreKey } from '../../../store/store.ts'
import { lastSegment } from '../../queues/description.ts'
import { accept } from '../cloud/messaging.ts'
import { queueOf, type ScheduleContext } from '../simulation/scheduleContext.ts'
import { mayHappen, type NextEvent } from '../simulation/simulation.ts'
import { readStageRecord } from '../../../claim/stage/stageRecord.ts'
import { DEFAULT_RETENTION_MS } from '../../../base/limits/lifetime.ts'
import { askUndoAgain, endUndoableRun } from '../../../features/undo/sweepUndo.ts'

/** A delayed message that the sweeper would send or void, and when it is due. */
interface DueRow {
  readonly row: Delayed
  readonly verdict: 'send' | 'void'
  readonly dueAt: number
}

export function dueRows(context: ScheduleContext): readonly DueRow[] {
  return judgedRows(context).flatMap(([row, { kind }]) =>
    kind === 'send' || kind === 'void' ? [{ row, verdict: kind, dueAt: row.due }] : [],
  )
}

/** Rows that wait for the redrive of their run, or for its end. */
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

/** The sweeper sends or voids a row; or it is killed before it closes the row, and a later run sends it again. */
export function sweepEvents(context: ScheduleContext, time: number): readonly NextEvent[] {
  const { simulation } = context
  return dueRows(context)
    .filter(({ dueAt }) => dueAt <= time)
    .flatMap(({ row, verdict }): NextEvent[] => {
      const whole = (): void => {
        simulation.now = Math.max(simulation.now, time)
        if (verdict === 'send') send(context, row)
        close(context, row, verdict === 'send' ? 'sent' : 'void')
      }
      const words = `the sweeper ${verdict}s the delayed message to ${lastSegment(row.queue)}`
      const done: NextEvent = { words, fault: undefined, take: whole }
      if (verdict === 'void' || !mayHappen(simulation, 'killed on the wire')) return [done]
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
  if (message !== undefined) sendFrom(context, queue, message)
}

/** What the sweeper sends. */
function sendFrom(context: ScheduleContext, queue: string, message: QueueMessage): void {
  const target = lastSegment(queue)
  const { delivered: messages } = queueOf(context, target)
  accept(context, { queue: target, messages }, target, message)
}

function close(
  { base, history, simulation }: ScheduleContext,
  row: Delayed,
  as: 'sent' | 'void',
): void {
  void base
    .update([closeDelayed(row, as, simulation.now)])
    .then(() => history.note([row.key], simulation.now))
}

/** A run whose ender was killed: it is fenced and keeps its key, or its undo was not asked for. */
interface Unended {
  readonly item: Item
  readonly key: StoreKey
  readonly dueAt: number
}

export function unendedRuns({ base }: ScheduleContext): readonly Unended[] {
  return base.items().flatMap((item) => {
    const { pk, sk, dueAt, statusShard, undo } = item
    if (typeof pk !== 'string' || typeof sk !== 'string') return []
    if (typeof dueAt !== 'number' || statusShard === undefined) return []
    const isEnding = readStageRecord(item)?.run?.ending !== undefined
    return isEnding || undo === 'due' ? [{ item, key: { pk, sk }, dueAt }] : []
  })
}

/** The sweeper ends the run, or asks for its undo. It is killed nowhere here: its writes are those of the enders. */
export function undoEvents(context: ScheduleContext, time: number): readonly NextEvent[] {
  const { simulation, base, history } = context
  const due = unendedRuns(context).filter(({ dueAt }) => dueAt <= time)
  return due.map(({ item, key }) => ({
    words: `the sweeper ends a run of ${key.pk}`,
    fault: undefined,
    take: () => {
      simulation.now = Math.max(simulation.now, time)
      const sweeping = {
        store: base,
        messenger: messengerOf(context),
        now: simulation.now,
        retention: DEFAULT_RETENTION_MS,
      }
      void (
        item['undo'] === 'due' ? askUndoAgain(item, sweeping) : endUndoableRun(item, sweeping)
      ).then(() => history.note([key], simulation.now))
    },
  }))
}

function messengerOf(context: ScheduleContext): Messenger {
  const none = (): never => {
    throw new Error('the sweeper only sends')
  }
  return {
    send: async (queue, messages) => {
      for (const message of messages) sendFrom(context, queue, message)
      return messages.map(() => undefined)
    },
    publish: none,
    hide: none,
    remove: none,
    deadLetterQueueOf: none,
  }
}
