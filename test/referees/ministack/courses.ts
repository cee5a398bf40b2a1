import { randomUUID } from 'node:crypto'
import { PutItemCommand } from '@aws-sdk/client-dynamodb'
import { expect } from 'vitest'
import { sign } from '../../../examples/provider-webhook/signature.ts'
import type { Stage } from './stage.ts'

/** A deployed example: what it is sent, by which route, and the expected result. */
export interface Course {
  readonly name: string
  /** Until each request has had its effect once. */
  expectEffects(stage: Stage): Promise<void>
  /** When nothing is under way any more. */
  expectBooks(stage: Stage): Promise<void>
}

const COUNT = 12
const numbers = Array.from({ length: COUNT }, (_, nth) => nth + 1)

function now(): string {
  return new Date().toISOString()
}

/** Everything is sent twice at once, as one request. */
async function twice(send: (id: string) => Promise<unknown>): Promise<void> {
  const id = randomUUID()
  await Promise.all([send(id), send(id)])
}

const orders: Course = {
  name: 'orders, by queue and by topic',
  async expectEffects(stage) {
    for (const number of numbers) {
      const order = { orderId: `o${number}`, sku: 'sku', quantity: 2 }
      const byQueue = number % 2 === 0
      await twice((id) =>
        byQueue
          ? stage.send('lineclear-orders', order, id)
          : stage.publish('OrdersTopic', order, id),
      )
    }
    const paid = async () => (await stage.waiting(/^paid$/))['paid']
    await stage.until('paid', paid, (count) => count === COUNT)
  },
  async expectBooks(stage) {
    expect(await stage.rows('stock')).toEqual([{ sku: 'sku', reserved: String(2 * COUNT) }])
    const paid = await stage.take('paid')
    const ids = paid.map(({ Body = '' }) => Number(/\bo(\d+)/.exec(Body)?.[1]))
    expect(ids.toSorted((one, other) => one - other)).toEqual(numbers)
  },
}

const checkout: Course = {
  name: 'a flow over two Lambdas',
  async expectEffects(stage) {
    for (const number of numbers) {
      const cart = { cartId: `c${number}`, orderedAt: now(), items: number }
      await twice((id) => stage.send('lineclear-validate', cart, id))
    }
    const sales = async () => (await stage.rows('sales'))[0]?.['count']
    await stage.until('sales', sales, (count) => count === String(COUNT))
  },
  async expectBooks(stage) {
    const total = String(numbers.reduce((sum, items) => sum + items * 3, 0))
    expect(await stage.rows('sales')).toEqual([{ id: 'all', count: String(COUNT), total }])
    const carts = await stage.rows('carts')
    expect(carts.map(({ state }) => state)).toEqual(numbers.map(() => 'charged'))
  },
}

interface Question {
  readonly searchId: string
  readonly tripId: string
}

/** Every fourth trip gets no answer in time, every other fourth one by the webhook, the others by message; always twice. */
const trips: Course = {
  name: 'answers from outside, by message and by webhook, and none in time',
  async expectEffects(stage) {
    for (const number of numbers) {
      const trip = { tripId: `t${number}`, askedAt: Date.now() }
      await twice((id) => stage.send('lineclear-search', trip, id))
    }
    const asked = new Set<string>()
    const answerAll = async () => {
      for (const { Body = '' } of await stage.take('AirlineQueue')) {
        const question = JSON.parse(Body) as Question
        asked.add(question.tripId)
        await answer(stage, question)
      }
      return asked.size
    }
    await stage.until('questions', answerAll, (count) => count === COUNT)
    const offers = async () => (await stage.rows('offers')).length
    await stage.until('offers', offers, (count) => count === COUNT)
  },
  async expectBooks(stage) {
    const offers = await stage.rows('offers')
    expect(offers.map(({ made }) => made)).toEqual(numbers.map(() => '1'))
    const unanswered = offers.filter(({ tripId = '' }) => numberOf(tripId) % 4 === 0)
    expect(unanswered.map(({ price }) => price)).toEqual(unanswered.map(() => '0'))
  },
}

function numberOf(tripId: string): number {
  return Number(tripId.slice(1))
}

async function answer(stage: Stage, { searchId, tripId }: Question): Promise<void> {
  const number = numberOf(tripId)
  if (number % 4 === 0) return
  const found = { searchId, price: number }
  await twice(() =>
    number % 4 === 1
      ? callSigned(stage, 'answer', '/searches', found)
      : stage.send('lineclear-found', found),
  )
}

/** As the provider does, with the key that the function `name` has. */
async function callSigned(
  stage: Stage,
  name: string,
  path: string,
  payload: object,
): Promise<string> {
  const { WEBHOOK_SECRETS = '' } = await stage.environmentOf(name)
  const { current } = JSON.parse(WEBHOOK_SECRETS) as { current: string }
  return stage.callUntilTaken(path, payload, sign(JSON.stringify(payload), current, Date.now()))
}

const addresses: Course = {
  name: 'the newest address',
  async expectEffects(stage) {
    for (const house of [1, 2, 3]) {
      for (const number of numbers) {
        const moved = { customerId: `m${number}`, address: `house ${house}`, movedAt: now() }
        await stage.send('lineclear-addresses', moved)
      }
    }
    await stage.until(
      'addresses',
      () => movedTo(stage, 'house 3'),
      (count) => count === COUNT,
    )
  },
  async expectBooks(stage) {
    expect(await movedTo(stage, 'house 3')).toBe(COUNT)
  },
}

async function movedTo(stage: Stage, house: string): Promise<number> {
  return (await stage.rows('customers')).filter(({ address }) => address === house).length
}

const VERSIONS = ['1', '2', '3', '4']

const cache: Course = {
  name: 'a cache that is triggered while it is being rebuilt',
  async expectEffects(stage) {
    for (const version of VERSIONS) {
      const Item = { region: { S: 'eu' }, version: { N: version } }
      await stage.dynamodb.send(new PutItemCommand({ TableName: 'source', Item }))
      const change = { region: 'eu', changedAt: now() }
      await twice((id) => stage.send('lineclear-rebuild', change, id))
    }
    const shown = async () => (await stage.rows('cache'))[0]?.['version']
    await stage.until('cache', shown, (version) => version === VERSIONS.at(-1))
  },
  async expectBooks(stage) {
    expect(await stage.rows('cache')).toMatchObject([{ region: 'eu', version: VERSIONS.at(-1) }])
    const [rebuilds] = await stage.rows('rebuilds')
    const messages = await stage.take('RebuiltQueue')
    expect(String(new Set(messages.map(({ Body }) => Body)).size)).toBe(rebuilds?.['count'])
  },
}

const CALLS = 20

const payments: Course = {
  name: 'payments, twenty calls at once on one key',
  async expectEffects(stage) {
    const cents = 1200
    for (const key of ['p1', 'p2']) {
      const headers = { 'idempotency-key': key }
      const call = () => stage.callUntilTaken('/payments', { cents }, headers)
      const answers = await Promise.all(Array.from({ length: CALLS }, call))
      expect(new Set(answers).size).toBe(1)
    }
  },
  async expectBooks(stage) {
    const headers = { 'idempotency-key': 'p1' }
    const other = await stage.call('/payments', { cents: 7 }, headers)
    expect(other.status).toBe(422)
  },
}

const callbacks: Course = {
  name: 'callbacks of a provider, each twice at once',
  async expectEffects(stage) {
    for (const number of numbers) {
      const callback = { transactionId: `tx${number}`, cents: 100 }
      await twice(() => callSigned(stage, 'callbacks', '/callbacks', callback))
    }
    const entries = async () => (await stage.rows('ledger'))[0]?.['entries']
    await stage.until('ledger', entries, (count) => count === String(COUNT))
  },
  async expectBooks(stage) {
    const total = { id: 'total', entries: String(COUNT), cents: String(COUNT * 100) }
    expect(await stage.rows('ledger')).toEqual([total])
    const forged = { transactionId: 'forged', cents: 1_000_000 }
    const wrong = sign(JSON.stringify(forged), 'a key that the provider does not have', Date.now())
    expect((await stage.call('/callbacks', forged)).status).toBe(401)
    expect((await stage.call('/callbacks', forged, wrong)).status).toBe(401)
  },
}

const refunds: Course = {
  name: 'refunds, five calls at once for one payment',
  async expectEffects(stage) {
    const call = () => stage.callUntilTaken('/refunds', { paymentId: 'payment-1' })
    const answers = await Promise.all(Array.from({ length: 5 }, call))
    expect(new Set(answers)).toEqual(new Set(['{"paymentId":"payment-1","cents":-1200}']))
  },
  async expectBooks(stage) {
    const again = await stage.call('/refunds', { paymentId: 'payment-1' })
    expect(again).toMatchObject({ status: 200, body: expect.stringContaining('-1200') })
  },
}

export const COURSES: readonly Course[] = [
  orders,
  checkout,
  trips,
  addresses,
  cache,
  payments,
  callbacks,
  refunds,
]
