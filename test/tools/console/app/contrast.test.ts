import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const TOKENS = readFileSync(
  resolve(import.meta.dirname, '../../../../src/tools/console/app/style/tokens.css'),
  'utf8',
)
const colours = new Map(
  [...TOKENS.matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)].map(
    ([, name = '', light = '', dark = '']) => [name, { light, dark }] as const,
  ),
)

const GROUNDS = ['bg', 'surface', 'sunk', 'hover']
const TEXTS = ['ink', 'soft', 'link', 'bad', 'warn', 'wait', 'good']
const TONES = ['bad', 'warn', 'wait', 'good']

/** Pairs of text and ground that pages use, with the least contrast of WCAG 2.2 AA (1.4.3, 1.4.11). */
const PAIRS: readonly (readonly [string, string, number])[] = [
  ...GROUNDS.flatMap((ground) => TEXTS.map((text) => [text, ground, 4.5] as const)),
  ...TONES.flatMap((tone) => [tone, 'ink'].map((text) => [text, `${tone}-bg`, 4.5] as const)),
  ['on-main', 'link', 4.5],
  ['bg', 'ink', 4.5],
  ...['bg', 'surface', 'sunk'].map((ground) => ['edge', ground, 3] as const),
]

describe.each(['light', 'dark'] as const)('colours, %s', (theme) => {
  it.each(PAIRS)('%s on %s has a contrast of %d at least', (text, ground, least) => {
    const [one, other] = [text, ground].map((name) => luminance(colours.get(name)?.[theme] ?? ''))
    const [dark = 0, light = 0] = [one ?? 0, other ?? 0].toSorted((a, b) => a - b)
    expect((light + 0.05) / (dark + 0.05)).toBeGreaterThanOrEqual(least)
  })
})

it('no animation takes the colour of a text towards that of its ground', () => {
  const folder = resolve(import.meta.dirname, '../../../../src/tools/console/app/style')
  const steps = readdirSync(folder)
    .map((file) => readFileSync(resolve(folder, file), 'utf8'))
    .flatMap((css) => css.match(/@keyframes [^{]*\{(?:[^{}]*\{[^{}]*\})*/g) ?? [])
  expect(steps).not.toEqual([])
  expect(steps.filter((each) => /(?:^|[\s{;])(?:color|background)/.test(each))).toEqual([])
})

it('are all in the table', () => {
  const named = [...TOKENS.matchAll(/--([\w-]+): light-dark/g)].map(([, name]) => name)
  const checked = new Set(PAIRS.flatMap(([text, ground]) => [text, ground]))
  expect(named.filter((name = '') => !checked.has(name))).toEqual(['line'])
})

/** Relative luminance, WCAG 2.2. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
