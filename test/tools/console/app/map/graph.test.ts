import { describe, expect, it } from 'vitest'
import { listPageOf, openOf, nodeTitle } from '../../../../../src/tools/console/app/map/graph.ts'
import { system } from './system.ts'

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
    expect(asked && listPageOf(system, asked)).toEqual(expected)
  })
})

it('says what is open at a consumer, and how much of it waits for an operator', () => {
  const counts = [
    { of: 'orders', status: 'error', number: 2, overdue: 0 },
    { of: 'orders', status: 'inProgress', number: 5, overdue: 0 },
    { of: 'checkout', status: 'awaiting', number: 1, overdue: 0 },
  ] as const
  const of = (id: string) => system.nodes.filter((each) => each.id === id)
  const nodes = [...of('function:worker'), ...of('function:charge')]
  expect(nodes.map((node) => openOf(node, counts))).toEqual([
    { open: 7, failed: 2 },
    { open: 1, failed: 0 },
  ])
})

it('a stage is called by its flow', () => {
  expect(system.nodes.map(nodeTitle)).toContain('checkout · validate')
})
