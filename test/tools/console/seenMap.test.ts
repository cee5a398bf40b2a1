import { expect, it } from 'vitest'
import { openSeenMap } from '../../../src/tools/console/seenMap.ts'
import type { CallEvent, LocalEvent } from '../../../src/testing/local/observe/event.ts'
import { jsonOf, served } from './served.ts'

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
  const events = source()
  const { map, stop } = openSeenMap(events)
  events.publish(HAPPENED)
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
  stop()
  expect(events.takers.size).toBe(0)
})

it('what is published goes to the topic, also where a queue has its name', () => {
  const events = source()
  const { map } = openSeenMap(events)
  events.publish([...HAPPENED, depth('paid')])
  expect(map().edges).toContainEqual(expect.objectContaining({ to: 'topic:paid' }))
  expect(map().edges).not.toContainEqual(expect.objectContaining({ to: 'queue:paid' }))
})

it('a cloud that says what it is made of is believed', () => {
  const events = source()
  const { map } = openSeenMap(events)
  const cloud = {
    queues: { orders: { deadLetter: 'orders-dead' }, 'orders-dead': {} },
    topics: { placed: { queues: ['orders'] } },
    tables: [],
  }
  events.publish([...HAPPENED, { type: 'cloud', at: 0, state: 'started', cloud }])
  const { nodes, edges } = map()
  expect(nodes.map(({ id }) => id)).toContain('deadLetterQueue:orders-dead')
  expect(edges).toContainEqual(
    expect.objectContaining({ from: 'topic:placed', to: 'queue:orders' }),
  )
})

it('a console with live events has their map, one without that of the table, and a better one is taken', async () => {
  const events = source()
  await using live = await served({ events })
  events.publish(HAPPENED)
  const seen = await live.ask('/api/map')
  expect(seen.text).toContain('function:worker')
  await using without = await served()
  expect(jsonOf(await without.ask('/api/map'))).toMatchObject({ source: 'table', nodes: [] })
  await using told = await served({ events, map: async () => ({ nodes: [], edges: [] }) })
  expect((await told.ask('/api/map')).text).toContain('"nodes":[]')
})
