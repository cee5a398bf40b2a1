import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { bundleSizes } from './measure/bundleSize.ts'
import { type Door, sizesOf } from './measure/size.ts'

/**
 * KB of Lineclear in a function, minified and gzipped: what a cold start reads. A change that makes one of them 3 % worse is a decision.
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
  ['recordHandler', { single: [179, 66], hot: [113, 45], files: 6 }],
  ['defineFlow', { single: [265, 94], hot: [191, 71], files: 6 }],
  ['idempotent', { single: [95, 35], hot: [98.5, 38.8], files: 6 }],
]

const TOLERANCE = 0.03

it.each(BUDGETS)('%s is not larger than its budget', async (door, budget) => {
  const sizes = await sizesOf(door, ['lineclear:source'])
  const grown = (['single', 'hot'] as const).flatMap((kind) => {
    const [minified, gzipped] = budget[kind]
    return [
      growth(`${door}: ${kind} minified`, sizes[kind].minified, minified),
      growth(`${door}: ${kind} gzipped`, sizes[kind].gzipped, gzipped),
    ].filter((sentence) => sentence !== undefined)
  })
  expect(grown).toEqual([])
  expect(sizes.hot.files, `hot files of ${door}; BUDGETS says why`).toBeLessThanOrEqual(
    budget.files,
  )
})

/** @returns undefined when it is within the tolerance */
function growth(what: string, bytes: number, budget: number): string | undefined {
  const share = shareOver(bytes, budget)
  if (share <= TOLERANCE) return undefined
  const told = `${what} is ${(bytes / 1_024).toFixed(1)} KB, ${(share * 100).toFixed(1)} % more than ${budget}`
  return `${told}: find what was added to it, or raise the figure in BUDGETS and say why in the commit`
}

function shareOver(bytes: number, kb: number): number {
  return bytes / 1_024 / kb - 1
}

const REQUIRED =
  "exports.made = [require('lineclear').recordHandler, require('lineclear/dynamodb').dynamoDbStore]"

it('a consumer grows by no more than the guide says', async () => {
  const guide = await readFile(
    new URL('../../src/library/entries/consumer/README.md', import.meta.url),
    'utf8',
  )
  const told = guide.split('\n\n').find((part) => part.includes('KB minified')) ?? ''
  const said = [...told.matchAll(/(\d+) KB/g)].map(([, kb]) => Number(kb))
  const { single, hot } = await sizesOf('recordHandler', ['lineclear:source'])
  const whole = await bundleSizes(REQUIRED, import.meta.dirname, ['lineclear:source'])
  const are = [single, hot, whole.single].flatMap(({ minified, gzipped }) => [minified, gzipped])
  expect(said, 'the guide has a figure for each size').toHaveLength(are.length)
  const wrong = said.filter((kb, nth) => shareOver(are[nth] ?? 0, kb) > TOLERANCE)
  const now = are.map((bytes) => Math.round(bytes / 1_024)).join(', ')
  expect(
    wrong,
    `src/library/entries/consumer/README.md says ${said.join(', ')} KB; write ${now}`,
  ).toEqual([])
})
