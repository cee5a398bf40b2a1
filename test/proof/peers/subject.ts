import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency'
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb'
import { makeHandlerIdempotent } from '@aws-lambda-powertools/idempotency/middleware'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import middyjs, { type MiddlewareObj } from '@middy/core'
import type { Context } from 'aws-lambda'
import { type Clock, idempotent } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { jmespathOf } from '../../call/jmespathOf.ts'
import { idempotency } from 'lineclear/middy'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'

export type Work = (event: unknown, context?: Context) => Promise<unknown>
export type Call = (event: unknown, context?: Context) => Promise<unknown>

export interface GuardOptions {
  /** JMESPath. Default `id`. */
  readonly key?: string
  /** Seconds that a finished call is remembered. */
  readonly retention?: number
  /** Milliseconds that a second caller waits for the first one, where the library can. Default 0. */
  readonly wait?: number
  /** What must be equal when a key is used again. JMESPath. */
  readonly payload?: string
}

/** What both libraries can do, used as their documentation shows it. */
export interface Subject {
  readonly client: DynamoDBClient
  guard(work: Work, options?: GuardOptions): Call
  /** Two functions on one store with different options. */
  guardTwo(
    works: readonly [Work, Work],
    options: readonly [GuardOptions, GuardOptions],
  ): readonly [Call, Call]
  /** As a middleware of middy. */
  chain(work: Work, more?: readonly MiddlewareObj[]): Call
  /** A context whose invocation ends soon. */
  dying(): Context
  /** Waits until the lock of such a holder has ended; longer, where the library takes a clock. */
  letLockEnd(milliseconds?: number): Promise<void>
}

export type MakeSubject = (endpoint: string) => Subject

const clientOf = (endpoint: string): DynamoDBClient =>
  new DynamoDBClient({
    endpoint,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  })

const SOON_MS = 50
const later = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))

export const powertools: MakeSubject = (endpoint) => {
  const client = clientOf(endpoint)
  const layer = (): DynamoDBPersistenceLayer =>
    new DynamoDBPersistenceLayer({ tableName: 'powertools', awsSdkV3Client: client })
  const configOf = ({ key = 'id', retention, payload }: GuardOptions): IdempotencyConfig =>
    new IdempotencyConfig({
      eventKeyJmesPath: key,
      throwOnNoIdempotencyKey: true,
      ...(retention !== undefined && { expiresAfterSeconds: retention }),
      ...(payload !== undefined && { payloadValidationJmesPath: payload }),
    })
  const guardOn =
    (persistenceStore: DynamoDBPersistenceLayer) =>
    (work: Work, options: GuardOptions = {}): Call => {
      // One prefix each, so that scenarios share no keys; bound functions have no name of their own.
      const keyPrefix = crypto.randomUUID()
      return makeIdempotent(work, { persistenceStore, config: configOf(options), keyPrefix })
    }
  return {
    client,
    guard: (work, options) => guardOn(layer())(work, options),
    guardTwo: ([one, two], [first, second]) => {
      const guard = guardOn(layer())
      return [guard(one, first), guard(two, second)]
    },
    chain: (work, more = []) => {
      const handler = middyjs(work).use(
        makeHandlerIdempotent({
          persistenceStore: layer(),
          config: configOf({}),
          keyPrefix: crypto.randomUUID(),
        }),
      )
      for (const middleware of more) handler.use(middleware)
      return async (event, context = lambdaContext()): Promise<unknown> => handler(event, context)
    },
    dying: () => lambdaContext(SOON_MS),
    letLockEnd: () => later(2 * SOON_MS),
  }
}

export const lineclear: MakeSubject = (endpoint) => {
  const client = clientOf(endpoint)
  let ahead = 0
  const clock: Clock = { now: () => Date.now() + ahead, sleep: later }
  const store = dynamoDbStore({ tableName: 'lineclear', client })
  const optionsOf = ({ key = 'id', retention, payload, wait = 0 }: GuardOptions) => ({
    store,
    clock,
    logger: quietLogger(),
    name: crypto.randomUUID(),
    key: jmespathOf(key),
    payload: payload === undefined ? ('ignore' as const) : jmespathOf(payload),
    waitForOther: wait,
    ...(retention !== undefined && { retention: retention * 1_000 }),
  })
  const guard = (work: Work, options: GuardOptions = {}): Call =>
    idempotent(optionsOf(options), work)
  return {
    client,
    guard,
    guardTwo: ([one, two], [first, second]) => [guard(one, first), guard(two, second)],
    chain: (work, more = []) => {
      const handler = middyjs(work).use(idempotency(optionsOf({})))
      for (const middleware of more) handler.use(middleware)
      return async (event, context = lambdaContext()): Promise<unknown> => handler(event, context)
    },
    dying: () => lambdaContext(SOON_MS),
    letLockEnd: async (milliseconds = 6_000) => {
      await later(2 * SOON_MS)
      ahead += milliseconds
    },
  }
}
