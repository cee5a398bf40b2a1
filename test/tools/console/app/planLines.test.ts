import { expect, it } from 'vitest'
import { planLines } from '../../../../src/tools/console/app/parts/planLines.ts'

it('tells where dead letters go, which they are, and which stay', () => {
  const group = { reason: 'exhausted', origin: 'orders', error: 'timed out', planned: 3 }
  expect(
    planLines('dlq redrive', {
      to: { 'http://localhost/000000000000/orders': 3 },
      groups: [
        { ...group, ids: ['o-1', 'o-2'] },
        { reason: 'terminal', origin: 'orders', planned: 0, ids: [] },
      ],
      unsure: 1,
      stays: { notSelected: 2, noDestination: 1 },
      hidden: 4,
    }),
  ).toEqual([
    '3 to orders',
    '3 exhausted of orders: timed out',
    'o-1, o-2, and 1 more',
    '1 name no consumer: where the table has no record of them any more, they come back as lost record',
    '1 stay: their source queue is not known. Name a queue: redrive with options',
    '4 are held by another reader, and were not seen',
  ])
})

it('tells what became of the first ones', () => {
  expect(planLines('dlq redrive', { moved: 6, watched: { done: 5, failed: 1 } })).toEqual([
    '6 sent',
    '5 of the first ones sent have completed',
    '1 of the first ones sent have failed again',
  ])
})

it.each([
  [
    'pause',
    {
      mappings: [
        {
          kind: 'pause',
          function: 'arn:aws:lambda:orders',
          queue: 'arn:orders',
          because: 'it is enabled',
        },
      ],
    },
    ['pause: orders on orders, it is enabled'],
  ],
  ['resume', { mappings: [{ function: 'arn:orders', queue: 'arn:q' }] }, ['resume: orders on q']],
  ['dlq restore', { kept: 2 }, ['2 kept in the table, and would be put back on the queue']],
  [
    'dlq restore',
    { kept: 2, restored: 1, refused: 1 },
    ['1 put back on the queue', '1 not accepted: they stay in the table'],
  ],
  ['sweep', { due: { awaiting: 1, later: 3 } }, ['1 awaiting', '3 later']],
  ['tokens resolve', { receipt: 'x' }, []],
  [
    'dlq edit',
    {
      notes: [
        'identity, attributes and age stay',
        'Nothing was changed: this is the plan. To make the change:',
        '  lineclear dlq edit dead --apply 52473263',
      ],
    },
    ['identity, attributes and age stay'],
  ],
])('%s', (action, rest, lines) => {
  expect(planLines(action, rest)).toEqual(lines)
})
