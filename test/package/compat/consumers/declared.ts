import {
  absent,
  anyOf,
  atLeast,
  circuitBreaker,
  defineFlow,
  emfMetrics,
  eventBridge,
  idempotent,
  invocationHandler,
  jsonLogger,
  lockTokens,
  onceForever,
  producer,
  recordHandler,
  s3Events,
  snsTopic,
  storedDelays,
  sweepHandler,
  writeHandler,
} from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { s3Objects } from 'lineclear/s3'
import { fakeClock, memoryCloud, memoryObjects, memoryStore } from 'lineclear/testing'
import { z } from 'zod'

/**
 * What a user exports without an annotation: with `declaration` the compiler has to name its type, by names that the package
 * exports.
 */
export const store = dynamoDbStore({ tableName: 'lineclear' })
const Order = z.object({ key: z.string() })
const key = (order: { key: string }): string => order.key

export const handler = recordHandler(
  { name: 'orders', store, schema: Order },
  async (order, ctx) => {
    await ctx.send('https://sqs.eu-west-1.amazonaws.com/1/mail', order)
  },
)
export const written = writeHandler({ name: 'written', store }, () => undefined)

const stages = { book: { schema: Order }, ship: { schema: Order, final: true } } as const
export const trip = defineFlow({ name: 'trip', store, key, stages })
export const waiting = defineFlow({
  name: 'waiting',
  store,
  key,
  stages: { book: { schema: Order } },
  awaitingSteps: { quote: { schema: Order, id: key } },
})
export const book = trip.stageHandler('book', (order, ctx) => void ctx.next('ship', order))
export const quote = waiting.answerHandler('quote', () => {})
export const { start, reset } = trip
export const { answer, extendTimeout } = waiting

export const orders = producer({ schema: Order })
export const { send, sendMany, publish, publishMany } = orders
export const settle = invocationHandler(
  { name: 'settle', store },
  async (_event, ctx) => ctx.attempt,
)
export const ship = idempotent({ name: 'ship', store, key: String }, async (n: number) => ({ n }))
export const locks = lockTokens({ store, name: 'locks' })
export const lock = (id: string) => locks.begin(id, 'me', 1_000)
export const events = onceForever({ store, name: 'events' })
export const sweep = sweepHandler({ store })

export const breaker = circuitBreaker({ after: 20, when: () => true })
export const delays = storedDelays()
export const offload = s3Objects({ bucket: 'objects' })
export const topic = snsTopic('any')
export const bus = eventBridge()
export const uploads = s3Events({ buckets: 'any' })
export const envelopes = [topic, bus, uploads]
export const metrics = emfMetrics()
export const logger = jsonLogger()
export const guards = [absent('a'), anyOf(absent('a'), atLeast('b', 1))]

export const cloud = memoryCloud()
export const objects = memoryObjects()
export const clock = fakeClock()
export const memory = memoryStore()
