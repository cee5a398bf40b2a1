import { expect, it } from 'vitest'
import { type Door, sizesOf } from './measure/size.ts'

/**
 * KB of Lineclear in a function, minified and gzipped: what a cold start reads. A change that makes one of them 3 % worse is a decision, and
 * one that makes it 3 % better changes the figure here, so that it stays.
 */
type Kb = readonly [minified: number, gzipped: number]

const BUDGETS: readonly (readonly [Door, { readonly single: Kb; readonly hot: Kb }])[] = [
  ['recordHandler', { single: [154, 55], hot: [96, 37] }],
  ['defineFlow', { single: [234, 80], hot: [181, 65] }],
  ['idempotent', { single: [81, 29], hot: [82, 31] }],
]

const TOLERANCE = 0.03

it.each(BUDGETS)('%s stays as small as it is', async (door, budget) => {
  const sizes = await sizesOf(door, ['lineclear:source'])
  for (const kind of ['single', 'hot'] as const) {
    const { minified, gzipped } = sizes[kind]
    for (const [index, bytes] of [minified, gzipped].entries()) {
      const share = bytes / 1_024 / (budget[kind][index] ?? 0)
      expect({ kind, index, share }).toSatisfy(() => Math.abs(share - 1) <= TOLERANCE)
    }
  }
})
