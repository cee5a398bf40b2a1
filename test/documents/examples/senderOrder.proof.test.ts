import type { SQSEvent } from 'aws-lambda'
import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { tableDefinition } from 'lineclear/dynamodb'
import { type LocalCloud, mapQueue, type QueueMapping, startLocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { sign } from '../../../examples/provider-webhook/signature.ts'
import { rowsOf } from '../../../examples/rows.ts'
import { untilQuiet } from '../../../examples/quiet.ts'
import { lambdaContext } from '../../deliver/lambdaContext.ts'

const QUEUES = [
  'addresses',
  'rebuild',
  'announce',
  'validate',
  'charge',
  'search',
  'found',
  'offer',
]
const LATER = '2026-02-02T12:00:00Z'
const EARLIER = '2026-02-01T12:00:00Z'

let cloud: LocalCloud
// The handlers read their environment when they are loaded, and files share a process: another file has another environment.
beforeAll(() => {
  vi.resetModules()
})
afterAll(() => {
  vi.resetModules()
})
beforeAll(async () => {
  cloud = await startLocalCloud({
    queues: Object.fromEntries([...QUEUES, 'rebuilt', 'airline'].map((name) => [name, {}])),
    tables: {
      lineclear: tableDefinition(),
      customers: { hash: 'customerId' },
      source: { hash: 'region' },
      cache: { hash: 'region' },
      rebuilds: { hash: 'region' },
      carts: { hash: 'cartId' },
      sales: { hash: 'id' },
      offers: { hash: 'tripId' },
    },
  })
  const urls = [...QUEUES, 'rebuilt', 'airline'].map((name) => [
    `${name.toUpperCase()}_QUEUE`,
    cloud.queueUrl(name),
  ])
  Object.assign(process.env, cloud.environment, Object.fromEntries(urls))
})
afterAll(() => cloud.stop())
beforeEach(() => {
  vi.spyOn(console, 'log').mockImplementation(() => {})
})

/** Each with an id and a time of SQS's own, as after SQS's own redrive: what follows is sent when what was before has ended. */
async function sendInTurn(
  mappings: readonly QueueMapping[],
  queue: string,
  payloads: readonly object[],
): Promise<void> {
  for (const payload of payloads) {
    const QueueUrl = cloud.queueUrl(queue)
    const MessageBody = JSON.stringify(payload)
    await cloud.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }))
    await untilQuiet(mappings)
  }
}

it('timestamp-guard: an older address that arrives later is not written', async () => {
  const { handler } = await import('../../../examples/timestamp-guard/handler.ts')
  await using mappingMapping = mapQueue({ cloud, queue: 'addresses', handler })
  await sendInTurn([mappingMapping], 'addresses', [
    { customerId: 'c', address: 'new', movedAt: LATER },
    { customerId: 'c', address: 'old', movedAt: EARLIER },
  ])
  expect(await rowsOf(cloud, 'customers')).toMatchObject([{ address: 'new' }])
})

it('cache-rebuild: an older trigger that arrives later rebuilds nothing', async () => {
  const { rebuild, announce } = await import('../../../examples/cache-rebuild/handler.ts')
  await using rebuildMapping = mapQueue({ cloud, queue: 'rebuild', handler: rebuild })
  await using announceMapping = mapQueue({ cloud, queue: 'announce', handler: announce })
  await sendInTurn([rebuildMapping, announceMapping], 'rebuild', [
    { region: 'r', changedAt: LATER },
    { region: 'r', changedAt: EARLIER },
  ])
  expect(await rowsOf(cloud, 'rebuilds')).toMatchObject([{ count: 1 }])
})

it('chain-lambdas: an older order of a cart that arrives later is not charged', async () => {
  const { validate, charge } = await import('../../../examples/chain-lambdas/handler.ts')
  await using validateMapping = mapQueue({ cloud, queue: 'validate', handler: validate })
  await using chargeMapping = mapQueue({ cloud, queue: 'charge', handler: charge })
  await sendInTurn([validateMapping, chargeMapping], 'validate', [
    { cartId: 'c', orderedAt: LATER, items: 2 },
    { cartId: 'c', orderedAt: EARLIER, items: 5 },
  ])
  expect(await rowsOf(cloud, 'carts')).toMatchObject([{ items: 2 }])
  expect(await rowsOf(cloud, 'sales')).toMatchObject([{ count: 1, total: 6 }])
})

it('external-callback: an older request of a trip that arrives later gets no offer', async () => {
  const { trip, search, found, offer } =
    await import('../../../examples/external-callback/handler.ts')
  const { webhook } = await import('../../../examples/external-callback/webhook.ts')
  const airline = async ({ Records }: SQSEvent): Promise<void> => {
    for (const { body } of Records) {
      const { searchId } = JSON.parse(body) as { searchId: string }
      await trip.answer('found', { searchId, price: 7 })
    }
  }
  await using searchMapping = mapQueue({ cloud, queue: 'search', handler: search })
  await using foundMapping = mapQueue({ cloud, queue: 'found', handler: found })
  await using offerMapping = mapQueue({ cloud, queue: 'offer', handler: offer })
  await using airlineMapping = mapQueue({ cloud, queue: 'airline', handler: airline })
  await sendInTurn([searchMapping, foundMapping, offerMapping, airlineMapping], 'search', [
    { tripId: 't', askedAt: Date.parse(LATER) },
    { tripId: 't', askedAt: Date.parse(EARLIER) },
  ])
  expect(await rowsOf(cloud, 'offers')).toMatchObject([{ made: 1, price: 7 }])
  const unknown = JSON.stringify({ searchId: 'not asked', price: 7 })
  const secret = 'the-secret-that-the-airline-signs-with'
  vi.stubEnv('WEBHOOK_SECRETS', JSON.stringify({ current: secret }))
  const headers = sign(unknown, secret, Date.now())
  expect(await webhook({ body: unknown, headers }, lambdaContext())).toEqual({ statusCode: 202 })
  expect(await webhook({ body: unknown, headers: {} }, lambdaContext())).toEqual({
    statusCode: 401,
  })
})
