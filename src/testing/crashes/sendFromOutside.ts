import type { QueueMessage } from '../../queue/messenger.ts'
import { type ScheduleContext, queueOf } from './scheduleContext.ts'
import { sendingOf } from './sentEffects.ts'
import { type SimulatedMessage, put } from '../queues/simulatedQueue.ts'

/** Puts on a queue what comes from outside. In a FIFO queue all of it is one group, unless it says otherwise. */
export function sendFromOutside(
  context: ScheduleContext,
  name: string,
  message: QueueMessage,
): SimulatedMessage {
  const queue = queueOf(context, name)
  const order = queue.isFifo ? { groupId: 'group', deduplicationId: `${queue.sent}` } : {}
  const queued = put(queue, { ...order, ...message }, context.simulation.now)
  context.given.add(`${name} ${sendingOf(name, queued, []).identity}`)
  return queued
}
