import type { SQSRecord } from 'aws-lambda'
import { RetryableError } from '../base/errors.ts'
import type { Invocation } from './invocation.ts'
import type { SettledRecord } from './settledRecord.ts'

/**
 * The store, a queue or a bucket has not answered, whatever client calls it. The finished records are acknowledged; the others
 * come back, and what was begun for them is fenced as after a kill.
 */
export function endsSoFar(
  records: readonly SQSRecord[],
  { settled, logger, watch }: Invocation,
): readonly SettledRecord[] {
  const ended = new Set(settled.map(({ record }) => record))
  const open = records.filter((record) => !ended.has(record))
  const messageIds = open.map(({ messageId }) => messageId)
  const error = new RetryableError('the time was up before the record had an end')
  logger.error('left on the queue: the time was up before these records had an end', { messageIds })
  return [
    ...settled,
    ...open.map((record) => {
      const settlement = { kind: 'failed', error } as const
      watch?.settled?.(settlement, undefined)
      return { record, settlement, held: false }
    }),
  ]
}
