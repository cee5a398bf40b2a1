import type { APIGatewayProxyEvent, Context, SQSEvent } from 'aws-lambda'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { CrashCloud, CrashOptions, Explored } from 'lineclear/testing'
import { isWhole } from '../../proof/depth.ts'
import { ALL, isDeep, SOME } from '../../testing/crashes/deep.ts'

/** The examples as they stand: only what they would make at load, and the systems outside, come from the explorer. */
vi.mock('lineclear', async (original) => {
  const { explored } = await import('./explored.ts')
  return explored(await original())
})
vi.mock('lineclear/dynamodb', () => ({ dynamoDbStore: () => ({}) }))
vi.mock('../../../examples/orders/payments.ts', async () => {
  const { cloud } = await import('./explored.ts')
  return {
    charge: (orderId: string, idempotencyKey: string) =>
      cloud().outside('charge', { idempotencyKey }, orderId),
  }
})
vi.mock('../../../examples/chain-lambdas/payments.ts', async () => {
  const { cloud } = await import('./explored.ts')
  return {
    pay: (cents: number, idempotencyKey: string) =>
      cloud().outside('pay', { idempotencyKey }, cents),
  }
})
vi.mock('../../../examples/payments-api/payments.ts', async () => {
  const { cloud } = await import('./explored.ts')
  return {
    charge: async (cents: number, idempotencyKey: string) => ({
      paymentId: await cloud().outside('charge', { idempotencyKey }, cents),
      cents,
    }),
    refundAtProvider: async (paymentId: string, key: { readonly idempotencyKey: string }) => {
      await cloud().outside('refund', key, paymentId)
      return { paymentId, cents: -1200 }
    },
  }
})
vi.mock('../../../examples/agent-tools/tools.ts', async () => {
  const { cloud } = await import('./explored.ts')
  const run = (args: { readonly number: number }, idempotencyKey: string) =>
    cloud().outside('book', { idempotencyKey }, args)
  return {
    TOOLS: {
      book: { ifUnknown: 'repeat', run },
      fax: { ifUnknown: 'stop', run: (args: unknown) => cloud().outside('fax', undefined, args) },
    },
  }
})

const QUEUES = [
  'REBUILD',
  'ANNOUNCE',
  'REBUILT',
  'VALIDATE',
  'CHARGE',
  'RESERVE',
  'PAY',
  'SEARCH',
  'OFFER',
  'FOUND',
  'AIRLINE',
  'CALLBACKS',
  'LEDGER',
]

const SECRET = 'the-secret-that-the-provider-signs-with'

function stubPlaces(): void {
  vi.stubEnv('WEBHOOK_SECRETS', JSON.stringify({ current: SECRET }))
  vi.stubEnv('UPLOADS_BUCKET', 'my-uploads')
  vi.stubEnv('EVENT_BUS_ARN', 'arn:aws:events:eu-west-1:123456789012:event-bus/shop')
  const account = '123456789012'
  for (const name of QUEUES)
    vi.stubEnv(
      `${name}_QUEUE`,
      `https://sqs.eu-west-1.amazonaws.com/${account}/${name.toLowerCase()}`,
    )
  for (const name of ['ORDERS', 'PAID'])
    vi.stubEnv(`${name}_TOPIC`, `arn:aws:sns:eu-west-1:${account}:${name.toLowerCase()}`)
}

// Another file of this process may have loaded the examples as they are.
vi.resetModules()
stubPlaces()
const { eventBridgeEvent, exploreCrashes, httpEvent, s3Notification } =
  await import('lineclear/testing')
const { inCloud } = await import('./explored.ts')
const orders = await import('../../../examples/orders/handler.ts')
const chain = await import('../../../examples/chain-lambdas/handler.ts')
const cache = await import('../../../examples/cache-rebuild/handler.ts')
const addresses = await import('../../../examples/timestamp-guard/handler.ts')
const parcels = await import('../../../examples/eventbridge/handler.ts')
const scans = await import('../../../examples/eventbridge/scans.ts')
const uploads = await import('../../../examples/s3-uploads/handler.ts')
const callback = await import('../../../examples/external-callback/handler.ts')
const payments = await import('../../../examples/payments-api/handler.ts')
const bookings = await import('../../../examples/payments-api/bookings.ts')
const refunds = await import('../../../examples/payments-api/refund.ts')
const schedule = await import('../../../examples/schedule/handler.ts')
const webhook = await import('../../../examples/provider-webhook/handler.ts')
const ledger = await import('../../../examples/provider-webhook/ledger.ts')
const agents = await import('../../../examples/agent-tools/handler.ts')
const { sign } = await import('../../../examples/provider-webhook/signature.ts')

beforeEach(stubPlaces)
afterAll(() => {
  vi.resetModules()
})

const SOUND = { lost: 0, doubled: 0, stale: 0, stuck: 0, finding: undefined }
const LIMIT = { timeout: isDeep ? 4 * 3_600_000 : 600_000 }

type Build = (cloud: CrashCloud) => Explored
type Lambda = (event: SQSEvent, context: Context) => Promise<unknown>

/** The handlers of an example by their queues. */
function lambdas(handlers: Readonly<Record<string, Lambda>>): Build {
  return (cloud) =>
    Object.fromEntries(
      Object.entries(handlers).map(([queue, handler]) => [queue, inCloud(cloud, handler)]),
    )
}

interface Example {
  readonly name: string
  readonly build: Build
  readonly record: unknown
  readonly options?: CrashOptions
}

const { validate, charge } = chain
const { rebuild, announce } = cache
const { search, found, offer } = callback
const http: Lambda = async ({ Records: [record] }, context) => {
  const body = record?.body ?? ''
  const headers = sign(body, SECRET, Date.now())
  return webhook.handler(httpEvent({ headers, body }), context)
}
const pay = (event: APIGatewayProxyEvent, context: Context) => payments.handler(event, context)
const book = (event: APIGatewayProxyEvent, context: Context) => bookings.handler(event, context)
const settle: typeof schedule.handler = (night, context) => schedule.handler(night, context)

const moved = (place: string, time: number) =>
  eventBridgeEvent(
    { parcelId: 'p', place },
    { source: 'my.parcels', detailType: 'ParcelMoved', id: `moved-${place}`, time },
  )
const uploaded = (sequencer: string, size: number) =>
  s3Notification({
    bucket: 'my-uploads',
    key: 'k',
    sequencer,
    size,
    eventTime: Date.UTC(2025, 0, 1),
  })

const EXAMPLES: readonly Example[] = [
  {
    name: 'orders',
    build: lambdas({ orders: orders.handler }),
    record: { orderId: 'o1', sku: 'apple', quantity: 2 },
  },
  {
    name: 'timestamp-guard',
    build: lambdas({ addresses: addresses.handler }),
    record: { customerId: 'c', address: 'old', movedAt: '2025-01-01T00:00:00Z' },
    options: { also: [{ customerId: 'c', address: 'new', movedAt: '2025-01-02T00:00:00Z' }] },
  },
  {
    name: 'eventbridge',
    build: lambdas({ parcels: parcels.handler }),
    record: moved('old', Date.UTC(2025, 0, 1)),
    options: { also: [moved('new', Date.UTC(2025, 0, 2))] },
  },
  {
    name: 'eventbridge: scans',
    build: lambdas({ scans: scans.handler }),
    record: { parcelId: 'p', place: 'door', scannedAt: '2025-01-01T00:00:00Z' },
  },
  {
    name: 's3-uploads',
    build: lambdas({ uploads: uploads.handler }),
    record: uploaded('0A', 1),
    options: { also: [uploaded('0B', 2)] },
  },
  {
    name: 'agent-tools',
    build: lambdas({ turns: agents.handler }),
    record: { turnId: 't1', question: 'book 2' },
  },
  {
    name: 'agent-tools: a tool without keys',
    build: lambdas({ turns: agents.handler }),
    record: { turnId: 't1', question: 'fax 1' },
  },
  {
    name: 'chain-lambdas',
    build: lambdas({ validate, charge }),
    record: { cartId: 'c', orderedAt: '2025-01-01T00:00:00Z', items: 2 },
  },
  {
    name: 'cache-rebuild',
    build: lambdas({ rebuild, announce }),
    record: { region: 'r', changedAt: '2025-01-01T00:00:00Z' },
  },
  {
    name: 'external-callback',
    build: lambdas({ search, found, offer }),
    record: { tripId: 't', askedAt: Date.UTC(2025, 0, 1) },
    options: {
      answers: {
        airline: ({ searchId }: { readonly searchId: string }) => ({
          found: { searchId, price: 5 },
        }),
      },
    },
  },
  {
    name: 'payments-api',
    build: (cloud) => inCloud(cloud, pay),
    record: {
      httpMethod: 'POST',
      path: '/payments',
      headers: { 'Idempotency-Key': 'k1' },
      requestContext: { requestId: 'r', authorizer: { principalId: 'customer-1' } },
      body: '{"cents":1200}',
      isBase64Encoded: false,
    },
    options: { as: 'function' },
  },
  {
    name: 'payments-api: bookings',
    build: (cloud) => inCloud(cloud, book),
    record: {
      httpMethod: 'POST',
      path: '/bookings',
      headers: { 'Idempotency-Key': 'k1' },
      requestContext: { requestId: 'r', authorizer: { principalId: 'customer-1' } },
      body: '{"cents":1200}',
      isBase64Encoded: false,
    },
    options: { as: 'function' },
  },
  {
    name: 'schedule',
    build: (cloud) => inCloud(cloud, settle),
    record: { schedule: 'arn:aws:scheduler:::schedule/d/n', at: '2026-11-22T03:00:00Z' },
    options: { as: 'invocation', rows: { sales: [{ id: '2026-11-22', cents: 500 }] } },
  },
  {
    name: 'payments-api: refund',
    build: (cloud) => inCloud(cloud, refunds.refund),
    record: 'payment-1',
    options: { as: 'function' },
  },
  {
    name: 'provider-webhook',
    build: lambdas({ http, callbacks: ledger.handler }),
    record: { transactionId: 't', cents: 100 },
  },
]

/** One invocation at a time: its 14,478 schedules take a minute, those of each other example seconds. */
const LONG = 'external-callback'

describe('under every schedule of one fault, or the first ones', () => {
  it.each(EXAMPLES)('$name', LIMIT, async ({ name, build, record, options }) => {
    const limit = isDeep || (isWhole && name !== LONG) ? ALL : SOME
    const report = await exploreCrashes(build, record, { ...options, limit, together: 1 })
    expect(report.text).toMatch('nothing lost, doubled, stale or stuck')
    expect(report).toMatchObject({ ...SOUND, complete: report.schedules < limit })
    expect(report.schedules).toBeGreaterThan(20)
  })
})

describe(`with another invocation beside, ${isDeep ? 'all' : SOME} of the schedules`, () => {
  it.each(EXAMPLES)('$name', LIMIT, async ({ build, record, options }) => {
    const limit = isDeep ? ALL : SOME
    const report = await exploreCrashes(build, record, { ...options, limit })
    expect(report.text).toMatch('nothing lost, doubled, stale or stuck')
    expect(report).toMatchObject({ ...SOUND, ...(isDeep && { complete: true }) })
  })
})
