import { expect, it } from 'vitest'
import { type Door, sizesOf } from './measure/size.ts'

/**
 * KB of Lineclear in a function, minified and gzipped, rounded up: what a cold start reads. A change that makes one of them worse is
 * a decision, and one that makes it better changes the figure here, so that it stays.
 */
const BUDGETS: readonly (readonly [Door, object])[] = [
  ['recordHandler', { single: [149, 53], hot: [91, 35] }],
  ['defineFlow', { single: [228, 78], hot: [176, 63] }],
  ['idempotent', { single: [76, 27], hot: [77, 29] }],
]

it.each(BUDGETS)('%s stays as small as it is', async (door, budget) => {
  const { single, hot } = await sizesOf(door, ['lineclear:source'])
  const inKb = ({ minified, gzipped }: typeof single): readonly number[] =>
    [minified, gzipped].map((bytes) => Math.ceil(bytes / 1_024))
  expect({ single: inKb(single), hot: inKb(hot) }).toEqual(budget)
})
