import {
  decodePacked,
  PACKED_ATTRIBUTE,
  type PackedFields,
} from '../../../record/envelope/lineclearAttributes.ts'
import type { QueueMessage } from '../../../send/messenger.ts'
import { type ScheduleContext, queueOf } from './scheduleContext.ts'
import { isDeadLetterQueue, lastSegment } from '../../queues/arns.ts'
import { attributeOf, type SimulatedMessage, put } from '../../queues/simulatedQueue.ts'

/** All messages in dead-letter queues. */
export function deadLettersIn({ queues }: ScheduleContext): readonly SimulatedMessage[] {
  return [...queues].flatMap(([name, { messages }]) => (isDeadLetterQueue(name) ? messages : []))
}

/** Why a message was dead-lettered, from its own attributes. */
export function deadLetterReason(message: QueueMessage): string {
  const { reason = 'no reason', error = '' } = carriedBy(message)
  return error === '' ? reason : `${reason}: ${error}`
}

/**
 * Ends lasting faults and redrives every dead letter to its source queue, as SQS does: a new message with the same body and
 * attributes. @returns whether there was any
 */
export function redriveAll(context: ScheduleContext, first: string): boolean {
  const { simulation, queues } = context
  const messages = deadLettersIn(context)
  if (messages.length === 0) return false
  context.redriven += 1
  simulation.deadly.clear()
  simulation.throttled.clear()
  simulation.log.push(`the cause is fixed, and ${messages.length} dead letters are redriven`)
  for (const [name, queue] of queues) if (isDeadLetterQueue(name)) queue.messages = []
  for (const { message } of messages) {
    const { source } = carriedBy(message)
    put(
      queueOf(context, source === undefined ? first : lastSegment(source)),
      message,
      simulation.now,
    )
  }
  return true
}

function carriedBy(message: QueueMessage): Partial<PackedFields> {
  const value = attributeOf(message, PACKED_ATTRIBUTE) ?? '{}'
  return decodePacked({ type: 'String', value }, Number.MAX_SAFE_INTEGER / 2, () => {}) ?? {}
}
