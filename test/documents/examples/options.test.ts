import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { optionsOf, type OptionPlace } from '../../../src/library/entries/consumer/optionTable.ts'

/** What makes a handler of each place, so that an option of the same name elsewhere does not count. */
const MADE_BY: Readonly<Record<OptionPlace, RegExp>> = {
  record: /\brecordHandler\(/,
  write: /\bwriteHandler\(/,
  flow: /\bdefineFlow\(/,
  stage: /\bstages: \{/,
  step: /\bawaitingSteps: \{/,
  invocation: /\binvocationHandler\(/,
  function: /\bidempotent\(/,
}

const EXAMPLES = globSync('examples/**/*.{ts,cjs}').map((file) => readFileSync(file, 'utf8'))

/** As a property, shorthand or not, or as a method. */
const isGiven = (text: string, option: string): boolean =>
  new RegExp(String.raw`(?<![.\w])${option}\s*(?:[:,(]| \})`).test(text)

const PLACES = Object.keys(MADE_BY) as OptionPlace[]

/** Each option, with the examples of all handlers that have it. */
const OPTIONS = new Map<string, string[]>()
for (const place of PLACES) {
  const texts = EXAMPLES.filter((text) => MADE_BY[place].test(text))
  for (const option of optionsOf(place)) {
    OPTIONS.set(option, [...(OPTIONS.get(option) ?? []), ...texts])
  }
}
const RETRY = ['maxAttempts', 'delay', 'maxAge', 'transport']

describe('an option', () => {
  it.each([...OPTIONS.keys()])('is in an example that runs: %s', (option) => {
    expect(OPTIONS.get(option)?.some((text) => isGiven(text, option))).toBe(true)
  })

  it.each(RETRY)('of retry is in an example that runs: %s', (option) => {
    const given = EXAMPLES.flatMap((text) => text.match(/\bretry: \{[\s\S]{1,300}/g) ?? [])
    expect(given.some((text) => isGiven(text, option))).toBe(true)
  })
})
