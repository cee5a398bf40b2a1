import { defineFlow, recordHandler } from 'lineclear'
import { mapOf, type MappedFunction } from 'lineclear/local'
import { consumersOf, memoryStore } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

const store = memoryStore()
const schema = z.object({ key: z.string() })
const trip = defineFlow({
  name: 'trip',
  store,
  key: (payload) => payload.key,
  stages: {
    book: { schema, queueUrl: 'https://sqs/1/book' },
    pay: { schema, queueUrl: 'https://sqs/1/pay', final: true },
  },
  awaitingSteps: { found: { schema, id: ({ key }) => key, queueUrl: 'https://sqs/1/found' } },
})
const queues = ['orders', 'orders-dead', 'paid', 'book', 'pay', 'found']
const cloud = {
  queues: {
    ...Object.fromEntries(queues.map((name) => [name, {}])),
    orders: { deadLetter: 'orders-dead', maxReceiveCount: 3 },
  },
  topics: { placed: { queues: ['orders'] }, paid: { queues: ['paid'] } },
  tables: ['lineclear'],
}

function reads(queue: string, handler: unknown, name = queue): MappedFunction {
  return { name, queue, consumers: consumersOf(handler) }
}

const orders = reads(
  'orders',
  recordHandler({ name: 'orders', store }, () => {}),
  'take-orders',
)
const functions = [
  orders,
  reads(
    'book',
    trip.stageHandler('book', () => {}),
  ),
  reads(
    'pay',
    trip.stageHandler('pay', () => {}),
  ),
  reads(
    'found',
    trip.answerHandler('found', () => {}),
  ),
]

const shown = (map: ReturnType<typeof mapOf>): readonly string[] =>
  map.edges.map(({ from, to, kind }) => `${from} ${kind} ${to}`)

describe('the map', () => {
  const map = mapOf(cloud, functions)

  it('has a node for each topic, queue, function and step', () => {
    expect(map.nodes.map(({ id }) => id)).toEqual([
      'topic:placed',
      'topic:paid',
      'queue:orders',
      'deadLetterQueue:orders-dead',
      'queue:paid',
      'queue:book',
      'queue:pay',
      'queue:found',
      'function:take-orders',
      'function:book',
      'function:pay',
      'function:found',
      'step:trip/found',
    ])
    const find = (id: string) => map.nodes.find((node) => node.id === id)
    expect(find('function:take-orders')).toMatchObject({ consumers: ['orders'] })
    expect(find('function:pay')).toMatchObject({ flow: 'trip', stage: 'pay' })
  })

  it('has the ways of messages, each once', () => {
    expect(shown(map)).toEqual([
      'topic:placed delivers queue:orders',
      'topic:paid delivers queue:paid',
      'queue:orders deadLetters deadLetterQueue:orders-dead',
      'queue:orders delivers function:take-orders',
      'queue:book delivers function:book',
      'function:book sends queue:pay',
      'function:book waits step:trip/found',
      'step:trip/found answers queue:found',
      'queue:pay delivers function:pay',
      'queue:found delivers function:found',
      'function:found sends queue:book',
      'function:found sends queue:pay',
    ])
  })

  it('learns from what was seen, and draws no edge to what it does not have', () => {
    const seen = [
      { function: 'take-orders', to: 'placed' },
      { function: 'take-orders', to: 'nowhere' },
      { function: 'book', to: 'pay' },
    ]
    const learned = shown(mapOf(cloud, functions, seen))
    expect(learned).toEqual([...shown(map), 'function:take-orders sends topic:placed'])
  })

  it('shows a dead-letter queue that a function reads as a queue', () => {
    const again = reads('orders-dead', () => {}, 'repair')
    const { nodes, edges } = mapOf(cloud, [orders, again])
    expect(nodes.find(({ name }) => name === 'orders-dead')?.kind).toBe('queue')
    const dead = { from: 'queue:orders', to: 'queue:orders-dead', kind: 'deadLetters' }
    expect(edges).toContainEqual(dead)
  })
})
