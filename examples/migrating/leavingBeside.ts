import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { requestStatus, type Store } from 'lineclear'
import { unwrapped } from './leaving.ts'
import { openedRecord } from './openedRecord.ts'

type Consumer = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>

/**
 * Leaves while messages come: `consumer`, made by `recordHandler`, ends what it has begun and drops what it has completed. What it has
 * never seen goes to `take`, as in {@link unwrapped}.
 */
export function leavingBeside(
  { consumer, store, name }: { consumer: Consumer; store: Store; name: string },
  take: (payload: unknown, requestId: string) => Promise<void>,
  topics: readonly string[] = [],
): Consumer {
  const plain = unwrapped(take, topics)
  return async ({ Records }, context) => {
    const states = await Promise.all(
      Records.map(async (record) => {
        const { requestId } = openedRecord(record, topics)
        return (await requestStatus({ store, name }, requestId)).state
      }),
    )
    const answers = await Promise.all([
      consumer({ Records: Records.filter((_, nth) => states[nth] !== 'unknown') }, context),
      plain({ Records: Records.filter((_, nth) => states[nth] === 'unknown') }),
    ])
    return { batchItemFailures: answers.flatMap(({ batchItemFailures }) => batchItemFailures) }
  }
}
