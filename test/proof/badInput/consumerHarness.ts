import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base'
import type { SQSRecord } from 'aws-lambda'
import type { Settlement } from 'lineclear'
import { openTelemetry } from 'lineclear/opentelemetry'
import { startLocalCloud, type LocalCloud } from 'lineclear/local'
import { memoryStore, type RecordOptions, sqsRecord } from 'lineclear/testing'
import type { SqsHandler } from '../../../src/library/entries/consumer/recordHandler.ts'
import type { Clock } from '../../../src/library/base/clock.ts'
import type { Message } from '../../../src/library/protocol/record/message/message.ts'
import type { Item, StoreKey } from '../../../src/library/protocol/store/store.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { withoutSdk } from '../../testing/withoutSdk.ts'

/** The time of every row: nothing happens later, and no wait takes time. */
export const NOW: number = Date.now()
export const clock: Clock = { now: () => NOW, sleep: async () => {} }

export interface ConsumerHarness {
  readonly cloud: LocalCloud
  readonly store: ReturnType<typeof memoryStore>
  readonly settled: readonly { settlement: Settlement; message: Message<unknown> | undefined }[]
  /** What the handlers were given. */
  readonly ran: unknown[]
  readonly lines: ReturnType<typeof quietLogger>['lines']
  /** What every consumer of a test is made with. */
  readonly options: ReturnType<typeof optionsOf>
}

/** A handler, and three of its records that succeed. */
export interface Consumer {
  readonly handler: SqsHandler
  readonly good: readonly SQSRecord[]
}

export const startQueues = async (): Promise<LocalCloud> =>
  withoutSdk(await startLocalCloud({ queues: { back: {}, dead: {} } }, { logger: quietLogger() }))

function optionsOf(
  cloud: LocalCloud,
  harness: Pick<ConsumerHarness, 'store'>,
  logger: ReturnType<typeof quietLogger>,
  settled: ConsumerHarness['settled'][number][],
) {
  return {
    store: harness.store,
    logger,
    // Reads what every record says of its trace.
    tracing: openTelemetry({ tracerProvider: new BasicTracerProvider() }),
    clock,
    clients: { sqs: cloud.sqs },
    onSettled: (settlement: Settlement, message: Message<unknown> | undefined): void => {
      settled.push({ settlement, message })
    },
  }
}

export async function consumerHarness(
  cloud: LocalCloud,
  items: readonly (Item & StoreKey)[],
): Promise<ConsumerHarness> {
  const store = memoryStore()
  await store.create(items)
  const logger = quietLogger()
  const settled: ConsumerHarness['settled'][number][] = []
  const options = optionsOf(cloud, { store }, logger, settled)
  return { cloud, store, settled, ran: [], lines: logger.lines, options }
}

/** A record of the time of the rows. */
export const record = (payload: unknown, options: RecordOptions = {}): SQSRecord =>
  sqsRecord(payload, { sentAt: NOW - 1_000, ...options })

/** Whatever a record says of itself, for values that no type allows. */
export const handMade = (payload: unknown, changes: object): SQSRecord => ({
  ...record(payload),
  ...changes,
})
