import { expect, it } from 'vitest'
import { type Door, sizesOf } from './measure/size.ts'

/**
 * KB of Lineclear in a function, minified and gzipped, rounded up: what a cold start reads. A change that makes one of them worse is
 * a decision, and one that makes it better changes the figure here, so that it stays.
 */
const BUDGETS: readonly (readonly [Door, object])[] = [
  ['recordHandler', { single: [143, 51], hot: [143, 51] }],
  ['defineFlow', { single: [222, 76], hot: [222, 76] }],
  ['idempotent', { single: [75, 27], hot: [75, 27] }],
]

it.each(BUDGETS)('%s stays as small as it is', async (door, budget) => {
  const { single, hot } = await sizesOf(door, ['lineclear:source'])
  const inKb = ({ minified, gzipped }: typeof single): readonly number[] =>
    [minified, gzipped].map((bytes) => Math.ceil(bytes / 1_024))
  expect({ single: inKb(single), hot: inKb(hot) }).toEqual(budget)
})
