import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { type Door, sizesOf } from './measure/size.ts'

/**
 * KB of Lineclear in a function, minified and gzipped: what a cold start reads. A change that makes one of them 3 % worse is a decision, and
 * one that makes it 3 % better changes the figure here, so that it stays.
 */
type Kb = readonly [minified: number, gzipped: number]

interface Budget {
  readonly single: Kb
  readonly hot: Kb
  /**
   * Hot files. Each `import(…)` in `src` cuts the code that it shares into more of them, in the bundles of all doors: with 38 KB less
   * in 7 files more, a cold start took longer.
   */
  readonly files: number
}

const BUDGETS: readonly (readonly [Door, Budget])[] = [
  ['recordHandler', { single: [154, 55], hot: [95, 37], files: 6 }],
  ['defineFlow', { single: [236, 81], hot: [170, 61], files: 6 }],
  ['idempotent', { single: [81, 29], hot: [83, 31], files: 5 }],
]

const TOLERANCE = 0.03

it.each(BUDGETS)('%s stays as small as it is', async (door, budget) => {
  const sizes = await sizesOf(door, ['lineclear:source'])
  expect(sizes.hot.files).toBeLessThanOrEqual(budget.files)
  for (const kind of ['single', 'hot'] as const) {
    const { minified, gzipped } = sizes[kind]
    for (const [index, bytes] of [minified, gzipped].entries()) {
      const share = bytes / 1_024 / (budget[kind][index] ?? 0)
      expect({ kind, index, share }).toSatisfy(() => Math.abs(share - 1) <= TOLERANCE)
    }
  }
})

it('the README says by how much a consumer grows', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
  const told = /at most (\d+) KB minified, (\d+) KB gzipped; (\d+) KB of it \((\d+) KB gzipped\)/
  const { single, hot } = await sizesOf('recordHandler', ['lineclear:source'])
  const are = [single, hot].flatMap(({ minified, gzipped }) => [minified, gzipped])
  const shares = told
    .exec(readme)
    ?.slice(1)
    .map((kb, nth) => (Number(kb) * 1_024) / (are[nth] ?? 0))
  expect(shares).toHaveLength(are.length)
  expect(shares).toSatisfy((all: readonly number[]) =>
    all.every((share) => Math.abs(share - 1) <= TOLERANCE),
  )
})
