import { session } from '../../session.ts'
import { type Answered, useAnswer } from '../../useAnswer.ts'
import type { Queues } from './answers.ts'

/** Milliseconds. It receives nothing; in an account it is a request for each queue, so it is asked once. */
const COUNTED = 5_000

/** The dead-letter queues with their counts. */
export function useCounts(): Answered<Queues> {
  const isLocal = session.value?.local === true
  return useAnswer<Queues>('queues', {}, { every: isLocal ? COUNTED : 0 })
}
