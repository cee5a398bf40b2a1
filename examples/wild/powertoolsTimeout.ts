import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency'
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb'
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { Context } from 'aws-lambda'
import { invocationHandler } from 'lineclear'
import { fakeClock, memoryCloud } from 'lineclear/testing'

/**
 * https://github.com/aws-powertools/powertools-lambda-python/issues/8049, here with Powertools for TypeScript 2.35.0: the function
 * times out while the bank pays, its key is free, and the retry pays again.
 */
interface Withdrawal {
  readonly id: string
}

/** A bank that pays, and does not answer the first time. */
function bank() {
  const paid: string[] = []
  const called = Promise.withResolvers<void>()
  const pay = async (id: string): Promise<void> => {
    called.resolve()
    if (paid.push(id) === 1) await new Promise(() => {})
  }
  return { paid, pay, called: called.promise }
}

const context = { awsRequestId: 'r-1', getRemainingTimeInMillis: () => 50 } as Context

export async function before(awsSdkV3Client: DynamoDBClient): Promise<object> {
  const { paid, pay, called } = bank()
  const config = new IdempotencyConfig({ eventKeyJmesPath: 'id' })
  config.registerLambdaContext(context)
  const layer = { tableName: 'idempotency', awsSdkV3Client }
  const persistenceStore = new DynamoDBPersistenceLayer(layer)
  const withdraw = makeIdempotent(({ id }: Withdrawal) => pay(id), { persistenceStore, config })
  void withdraw({ id: 'w1' })
  await called
  await new Promise((resolve) => setTimeout(resolve, 100))
  await withdraw({ id: 'w1' })
  return { paid }
}

export async function after(): Promise<object> {
  const { store, clock, logger } = memoryCloud()
  const { paid, pay, called } = bank()
  // The sandbox that has timed out is gone: its clock stands still.
  const sandbox = (now: number) =>
    invocationHandler(
      { name: 'withdraw', store, clock: fakeClock(now), logger, key: ({ id }: Withdrawal) => id },
      ({ id }, ctx) => ctx.call('pay', () => pay(id), { ifUnknown: 'stop' }),
    )
  void sandbox(clock.now())({ id: 'w1' }, context)
  await called
  const retry = sandbox(clock.now() + 10_000)({ id: 'w1' }, context)
  return { paid, retry: await retry.catch(({ name }: Error) => name) }
}
