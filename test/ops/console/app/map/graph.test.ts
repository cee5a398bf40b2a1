import { describe, expect, it } from 'vitest'
import {
  type Graph,
  type GraphNode,
  legsOf,
  listOf,
  withSends,
} from '../../../../../src/ops/console/app/map/graph.ts'
import type { Move, Place } from '../../../../../src/ops/console/app/stream/moves.ts'

const node = (kind: GraphNode['kind'], name: string, more: Partial<GraphNode> = {}): GraphNode => ({
  id: `${kind}:${name}`,
  kind,
  name,
  ...more,
})

const graph: Graph = {
  nodes: [
    node('topic', 'orders'),
    node('queue', 'orders'),
    node('consumer', 'orders', { function: 'worker' }),
    node('deadLetters', 'orders-dead'),
    node('topic', 'paid'),
    node('queue', 'paid'),
    node('queue', 'mails'),
    node('stage', 'charge', { flow: 'checkout' }),
  ],
  edges: [
    { from: 'topic:orders', to: 'queue:orders' },
    { from: 'queue:orders', to: 'consumer:orders' },
    { from: 'queue:orders', to: 'deadLetters:orders-dead' },
    { from: 'consumer:orders', to: 'topic:paid' },
    { from: 'topic:paid', to: 'queue:paid' },
    { from: 'topic:paid', to: 'queue:mails' },
  ],
}

function move(from: string, to: string): Move {
  const place = (text: string): Place => {
    const [kind, name] = text.split(':') as [Place['kind'], string]
    return { kind, name }
  }
  return { from: place(from), to: place(to), count: 1 }
}

describe('a move goes', () => {
  it('from its queue to the function, by the name of the function', () => {
    expect(legsOf(graph, move('queue:orders', 'function:worker'))).toEqual([[1]])
  })

  it('to a topic, and from there to all its queues', () => {
    expect(legsOf(graph, move('function:worker', 'target:paid'))).toEqual([[3], [4, 5]])
  })

  it('as a dead letter along the edge from its queue', () => {
    expect(legsOf(graph, move('function:worker', 'target:orders-dead'))).toEqual([[2]])
  })

  it('nowhere when a place is not on the map', () => {
    expect(legsOf(graph, move('function:worker', 'target:gone'))).toEqual([])
    expect(legsOf(graph, move('queue:gone', 'function:worker'))).toEqual([])
  })
})

describe('sends that were seen', () => {
  it('are edges, unless they are known', () => {
    const learnt = withSends(graph, [
      { function: 'worker', to: 'mails' },
      { function: 'worker', to: 'paid' },
      { function: 'worker', to: 'orders-dead' },
      { function: 'worker', to: 'gone' },
    ])
    expect(learnt.edges.slice(graph.edges.length)).toEqual([
      { from: 'consumer:orders', to: 'queue:mails' },
    ])
  })

  it('that are none leave the map as it is', () => {
    expect(withSends(graph, [])).toBe(graph)
  })
})

describe('the list behind', () => {
  it.each([
    ['deadLetters:orders-dead', { path: '/letters', query: { queue: 'orders-dead' } }],
    ['consumer:orders', { path: '/tasks', query: { consumer: 'orders' } }],
    ['queue:orders', { path: '/tasks', query: { consumer: 'orders' } }],
    ['stage:charge', { path: '/tasks', query: { consumer: 'checkout', stage: 'charge' } }],
    ['queue:paid', undefined],
    ['topic:paid', undefined],
  ])('%s', (id, expected) => {
    const asked = graph.nodes.find((each) => each.id === id)
    expect(asked && listOf(graph, asked)).toEqual(expected)
  })
})
