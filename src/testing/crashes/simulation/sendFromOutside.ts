import type { QueueMessage } from '../../../send/messenger.ts'
import { type ScheduleContext, queueOf } from './scheduleContext.ts'
import { sendingOf } from './sentEffects.ts'
import { type SimulatedMessage, put } from '../../queues/simulatedQueue.ts'

/** Puts a message from outside on a queue. On a FIFO queue all of them share one group unless the message names another. */
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
