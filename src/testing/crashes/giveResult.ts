import type { QueueMessage } from '../../queue/messenger.ts'
import { type Lab, queueOf } from './scheduleContext.ts'
import { sendingOf } from './sent.ts'
import { type Letter, put } from '../queues/sqs.ts'

/** Puts on a queue what comes from outside. In a FIFO queue all of it is one group, unless it says otherwise. */
export function give(lab: Lab, name: string, message: QueueMessage): Letter {
  const queue = queueOf(lab, name)
  const order = queue.isFifo ? { groupId: 'group', deduplicationId: `${queue.sent}` } : {}
  const letter = put(queue, { ...order, ...message }, lab.world.now)
  lab.given.add(`${name} ${sendingOf(name, letter, []).identity}`)
  return letter
}
