import { readStageRecord } from '../../../claim/stage/stageRecord.ts'
import { DEFAULT_RETENTION_MS } from '../../../base/limits/lifetime.ts'
import type { Messenger } from '../../../send/messenger.ts'
import type { Item, StoreKey } from '../../../store/store.ts'
import { askUndoAgain, endUndoableRun } from '../../../features/undo/sweepUndo.ts'
import type { ScheduleContext } from '../simulation/scheduleContext.ts'
import type { NextEvent } from '../simulation/simulation.ts'
import { sendFrom } from './sweepRows.ts'

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
