import { describe, expect, it } from 'vitest'
import {
  legsOf,
  listOf,
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

it('a stage is called by its flow', () => {
  expect(system.nodes.map(titleOf)).toContain('checkout · validate')
})
