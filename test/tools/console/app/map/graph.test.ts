import { describe, expect, it } from 'vitest'
import {
  graphOf,
  legsOf,
  listOf,
  openOf,
  titleOf,
  withSends,
} from '../../../../../src/tools/console/app/map/graph.ts'
import type { Move, Place } from '../../../../../src/tools/console/app/stream/moves.ts'
import { system } from './system.ts'

function move(from: string, to: string): Move {
  const place = (text: string): Place => {
    const [kind, name] = text.split(':') as [Place['kind'], string]
    return { kind, name }
  }
  return { from: place(from), to: place(to), count: 1, at: 0 }
}

/** The ends of the edges that a move goes along, leg by leg. */
function wayOf(from: string, to: string): readonly (readonly (string | undefined)[])[] {
  return legsOf(system, move(from, to)).map((leg) => leg.map((edge) => system.edges[edge]?.to))
}

describe('a move goes', () => {
  it('from its queue to the function', () => {
    expect(wayOf('queue:orders', 'function:worker')).toEqual([['function:worker']])
  })

  it('to a topic, and from there to all its queues', () => {
    expect(wayOf('function:worker', 'topic:paid')).toEqual([
      ['topic:paid'],
      ['queue:paid', 'queue:mails'],
    ])
  })

  it('as a dead letter along the edge from its queue', () => {
    expect(wayOf('function:worker', 'queue:orders-dead')).toEqual([['deadLetterQueue:orders-dead']])
  })

  it('nowhere when a place is not on the map', () => {
    expect(wayOf('function:worker', 'queue:gone')).toEqual([])
    expect(wayOf('queue:gone', 'function:worker')).toEqual([])
  })
})

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
