import { expect, it } from 'vitest'
import { newSeenMap } from '../../../src/tools/console/seenMap.ts'
import type { CallEvent, LocalEvent } from '../../../src/testing/local/observe/event.ts'
import { served } from './served.ts'

const OF = { queue: 'orders', function: 'worker', invocation: 1, awsRequestId: 'r' } as const

function call(action: string, to: string): CallEvent {
  const words = `sends to ${to}`
  const place = { ...OF, at: 0, began: 0, call: 1, attempt: 1 }
  return { type: 'call', ...place, action, words, to, outcome: 'ended' }
}

const CLOUD = {
  queues: { orders: { deadLetter: 'orders-dead' }, 'orders-dead': {}, mails: {}, paid: {} },
  topics: { placed: { queues: ['orders'] }, paid: { queues: [] } },
  tables: [],
}

const HAPPENED: readonly LocalEvent[] = [
  { type: 'cloud', at: 0, state: 'started', cloud: CLOUD } as unknown as LocalEvent,
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

it('is of what the cloud consists of, who reads its queues, and where they send', () => {
  const { observe, map } = newSeenMap()
  HAPPENED.forEach(observe)
  const { nodes, edges } = map()
  expect(nodes.map(({ id }) => id)).toContain('deadLetterQueue:orders-dead')
  const seen = edges.map(({ from, to }) => `${from} ${to}`)
  for (const edge of [
    'topic:placed queue:orders',
    'queue:orders function:worker',
    'function:worker queue:mails',
    // A queue has the name of the topic that it was published to.
    'function:worker topic:paid',
  ]) {
    expect(seen).toContain(edge)
  }
  expect(seen).not.toContain('function:worker queue:paid')
})

it('is empty before a cloud has started', () => {
  expect(newSeenMap().map()).toEqual({ nodes: [], edges: [] })
})

it('a console with live events has their map, one without has none, and a map that is given is taken', async () => {
  const events = source()
  await using live = await served({ events })
  events.publish(HAPPENED)
  const seen = await live.ask('/api/map')
  expect(seen.text).toContain('function:worker')
  await using without = await served()
  expect((await without.ask('/api/map')).status).toBe(404)
  const { observe, map } = newSeenMap(() => [{ name: 'told', queue: 'orders', consumers: [] }])
  HAPPENED.forEach(observe)
  await using told = await served({ events, map })
  expect((await told.ask('/api/map')).text).toContain('function:told')
})
