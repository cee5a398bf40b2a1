import { describe, expect, it } from 'vitest'
import {
  graphOf,
  listOf,
  openOf,
  titleOf,
  withSends,
} from '../../../../../src/tools/console/app/map/graph.ts'
import type { Place } from '../../../../../src/tools/console/app/stream/sendOf.ts'
import { system } from './system.ts'

describe('sends that were seen', () => {
  it('are edges, unless they are known', () => {
    const send = (kind: Place['kind'], name: string) => ({
      function: 'worker',
      to: { kind, name },
    })
    const learnt = withSends(system, [
      send('queue', 'mails'),
      // A queue has the same name, and nothing is sent to it.
      send('topic', 'paid'),
      send('queue', 'orders-dead'),
      send('queue', 'gone'),
    ])
    expect(learnt.edges.slice(system.edges.length)).toEqual([
      { from: 'function:worker', to: 'queue:mails' },
    ])
  })

  it('that are none leave the map as it is', () => {
    expect(withSends(system, [])).toBe(system)
  })
})

describe('the list behind', () => {
  it.each([
    ['deadLetterQueue:orders-dead', { path: '/letters', query: { queue: 'orders-dead' } }],
    ['function:worker', { path: '/tasks', query: { consumer: 'orders' } }],
    ['queue:orders', { path: '/tasks', query: { consumer: 'orders' } }],
    ['function:charge', { path: '/tasks', query: { consumer: 'checkout', stage: 'charge' } }],
    ['step:found', { path: '/tasks', query: { consumer: 'checkout', status: 'awaiting' } }],
    ['queue:paid', undefined],
    ['topic:paid', undefined],
  ])('%s', (id, expected) => {
    const asked = system.nodes.find((each) => each.id === id)
    expect(asked && listOf(system, asked)).toEqual(expected)
  })
})

describe('the map of a console without live events', () => {
  const counts = [
    { of: 'orders', status: 'error', number: 2, overdue: 0 },
    { of: 'orders', status: 'inProgress', number: 5, overdue: 0 },
    { of: 'checkout', status: 'awaiting', number: 1, overdue: 0 },
    { of: 'delayed messages', status: 'later', number: 9, overdue: 0 },
  ] as const
  const dead = {
    name: 'orders-dead',
    url: 'u',
    arn: 'a',
    sources: ['orders', 'mails'],
    visible: 2,
    inFlight: 0,
    delayed: 0,
    deadLetterQueue: undefined,
  }

  it('has the consumers with open items behind the queues of their names, and dead-letter queues', () => {
    const { nodes, edges } = graphOf(counts, [dead])
    expect(nodes.map(({ id }) => id)).toEqual([
      'queue:orders',
      'queue:mails',
      'function:orders',
      'function:checkout',
      'deadLetterQueue:orders-dead',
    ])
    expect(edges.map(({ from, to }) => `${from} ${to}`)).toEqual([
      'queue:orders function:orders',
      'queue:orders deadLetterQueue:orders-dead',
      'queue:mails deadLetterQueue:orders-dead',
    ])
  })

  it('says what is open at a consumer, and how much of it waits for an operator', () => {
    const nodes = graphOf(counts, [dead]).nodes.filter(({ kind }) => kind === 'function')
    expect(nodes.map((node) => openOf(node, counts))).toEqual([
      { open: 7, failed: 2 },
      { open: 1, failed: 0 },
    ])
  })
})

it('a stage is called by its flow', () => {
  expect(system.nodes.map(titleOf)).toContain('checkout · validate')
})
