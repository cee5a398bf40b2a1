import { expect, it } from 'vitest'
import { newSeenMap } from '../../../src/tools/console/seenMap.ts'
import type { CallEvent, LocalEvent } from '../../../src/testing/local/observe/event.ts'
import { served } from './served.ts'

const OF = { queue: 'orders', function: 'worker', invocation: 1, awsRequestId: 'r' } as const

function depth(queue: string): LocalEvent {
  return { type: 'depth', at: 0, queue, ready: 1, inFlight: 0, delayed: 0 }
}

function call(action: string, to: string): CallEvent {
  const words = `sends to ${to}`
  const place = { ...OF, at: 0, began: 0, call: 1, attempt: 1 }
  return { type: 'call', ...place, action, words, to, outcome: 'ended' }
}

const HAPPENED: readonly LocalEvent[] = [
  depth('orders'),
  depth('mails'),
  { type: 'begun', at: 0, ...OF, messages: [] },
  call('SendMessage', 'mails'),
  call('Publish', 'paid'),
  // It sends nothing.
  call('ChangeMessageVisibility', 'other'),
]

/** A source that publishes to whoever is there. */
function source() {
  const takers = new Set<(event: object) => void>()
  return {
    takers,
    publish: (events: readonly object[]) => {
      for (const event of events) for (const take of takers) take(event)
    },
    subscribe: (take: (event: object) => void) => {
      takers.add(take)
      return () => {
        takers.delete(take)
      }
    },
  }
}

it('what was seen is a map: queues, who reads them, and where they send', () => {
  const { observe, map } = newSeenMap()
  HAPPENED.forEach(observe)
  const { nodes, edges } = map()
  expect(nodes.map(({ id }) => id).toSorted()).toEqual([
    'function:worker',
    'queue:mails',
    'queue:orders',
    'topic:paid',
  ])
  expect(edges.map(({ from, to }) => `${from} ${to}`).toSorted()).toEqual([
    'function:worker queue:mails',
    'function:worker topic:paid',
    'queue:orders function:worker',
  ])
})

it('what is published goes to the topic, also where a queue has its name', () => {
  const { observe, map } = newSeenMap()
  ;[...HAPPENED, depth('paid')].forEach(observe)
  expect(map().edges).toContainEqual(expect.objectContaining({ to: 'topic:paid' }))
  expect(map().edges).not.toContainEqual(expect.objectContaining({ to: 'queue:paid' }))
})

it('a cloud that says what it is made of is believed', () => {
  const { observe, map } = newSeenMap()
  const cloud = {
    queues: { orders: { deadLetter: 'orders-dead' }, 'orders-dead': {} },
    topics: { placed: { queues: ['orders'] } },
    tables: [],
  }
  const started = { type: 'cloud', at: 0, state: 'started', cloud } as unknown as LocalEvent
  ;[...HAPPENED, started].forEach(observe)
  const { nodes, edges } = map()
  expect(nodes.map(({ id }) => id)).toContain('deadLetterQueue:orders-dead')
  expect(edges).toContainEqual(
    expect.objectContaining({ from: 'topic:placed', to: 'queue:orders' }),
  )
})

it('a console with live events has their map, one without has none, and a better one is taken', async () => {
  const events = source()
  await using live = await served({ events })
  events.publish(HAPPENED)
  const seen = await live.ask('/api/map')
  expect(seen.text).toContain('function:worker')
  await using without = await served()
  expect((await without.ask('/api/map')).status).toBe(404)
  await using told = await served({ events, map: async () => ({ nodes: [], edges: [] }) })
  expect((await told.ask('/api/map')).text).toContain('"nodes":[]')
})
