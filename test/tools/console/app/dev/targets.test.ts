import { expect, it } from 'vitest'
import type { DevSample } from '../../../../../src/tools/console/dev/types.ts'
import { targetsOf } from '../../../../../src/tools/console/app/dev/samples.ts'

it('a topic with the name of a queue is no target of its own', () => {
  const of = (kind: DevSample['kind'], to: string): DevSample => ({
    to,
    kind,
    counts: false,
    topics: [],
    fifo: false,
  })
  const samples = [of('queue', 'orders'), of('topic', 'orders'), of('topic', 'paid')]
  expect(targetsOf(samples).map(({ kind, to }) => `${kind} ${to}`)).toEqual([
    'queue orders',
    'topic paid',
  ])
})
