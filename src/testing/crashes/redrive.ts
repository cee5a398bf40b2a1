import {
  decodePacked,
  PACKED_ATTRIBUTE,
  type PackedFields,
} from '../../record/envelope/lineclearAttributes.ts'
import type { QueueMessage } from '../../queue/messenger.ts'
import { type Lab, queueOf } from './scheduleContext.ts'
import { isDeadLetters, nameIn } from '../queues/arns.ts'
import { attributeOf, type Letter, put } from '../queues/sqs.ts'

/** What the dead letters of a world say. */
export function deadLettersIn({ queues }: Lab): readonly Letter[] {
  return [...queues].flatMap(([name, { letters }]) => (isDeadLetters(name) ? letters : []))
}

/** Why a message was dead-lettered, as it says itself. */
export function reasonOf(message: QueueMessage): string {
  const { reason = 'no reason', error = '' } = carriedBy(message)
  return error === '' ? reason : `${reason}: ${error}`
}

/**
 * What made them has been put right, and each goes back to the queue that it came from, as SQS moves it: a new message with
 * the same body and attributes. @returns whether there was any
 */
export function redrive(lab: Lab, first: string): boolean {
  const { world, queues } = lab
  const letters = deadLettersIn(lab)
  if (letters.length === 0) return false
  lab.redriven += 1
  world.deadly.clear()
  world.throttled.clear()
  world.log.push(`what was wrong is put right; ${letters.length} dead letters are sent back`)
  for (const [name, queue] of queues) if (isDeadLetters(name)) queue.letters = []
  for (const { message } of letters) {
    const { source } = carriedBy(message)
    put(queueOf(lab, source === undefined ? first : nameIn(source)), message, world.now)
  }
  return true
}

function carriedBy(message: QueueMessage): Partial<PackedFields> {
  const value = attributeOf(message, PACKED_ATTRIBUTE) ?? '{}'
  return decodePacked({ type: 'String', value }, Number.MAX_SAFE_INTEGER / 2, () => {}) ?? {}
}
