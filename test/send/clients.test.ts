import { defineFlow, onceForever, producer } from 'lineclear'
import { memoryStore } from 'lineclear/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { type SqsServer, sqsServer } from './sqsServer.ts'

const CALLS = 200
let server: SqsServer
beforeAll(async () => {
  server = await sqsServer()
})
beforeEach(() => {
  for (const [name, value] of Object.entries(server.environment)) vi.stubEnv(name, value)
})
afterAll(() => server[Symbol.asyncDispose]())

/** As a table: with a store in memory no client is made. */
const { inMemory: _, ...store } = memoryStore()
const queueUrl = 'https://sqs.eu-west-1.amazonaws.com/1/q'
const Order = z.object({ orderId: z.string() })

function shop() {
  return defineFlow({
    name: 'shop',
    store,
    key: ({ orderId }) => orderId,
    stages: { reserve: { schema: Order, queueUrl }, ship: { schema: Order, queueUrl } },
    awaitingSteps: { payment: { schema: Order, id: ({ orderId }) => orderId, queueUrl } },
  })
}

const one = shop()

describe('without the option sqs all calls of a process share one client and its connection', () => {
  it.each<[string, (orderId: string) => Promise<unknown>]>([
    ['flow.start', (orderId) => one.start({ orderId })],
    ['flow.answer', (orderId) => one.answer('payment', { orderId })],
    ['flow.start of a flow that is defined in each call', (orderId) => shop().start({ orderId })],
    ['a producer that is made in each call', (orderId) => producer().send(queueUrl, { orderId })],
    [
      'onceForever that is made in each call',
      (id) => onceForever({ store, name: 's' }).thenEnqueue(id, { id }, { queueUrl }),
    ],
  ])('%s', async (_, call) => {
    const before = server.messages
    await call('first')
    const { connections } = server
    for (let n = 1; n < CALLS; n += 1) await call(`order ${n}`)
    expect(server.messages - before).toBe(CALLS)
    expect(server.connections).toBe(connections)
  })

  it('another environment has a client of its own', async () => {
    await using other = await sqsServer()
    for (const [name, value] of Object.entries(other.environment)) vi.stubEnv(name, value)
    await producer().send(queueUrl, 1)
    expect(other.messages).toBe(1)
  })
})
