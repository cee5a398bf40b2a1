import type { Asked, Intent } from './plans.ts'

/** What the person has typed, by the place of the question. */
export type Typed = Readonly<Record<number, string>>

/**
 * `given` with what was typed.
 * @returns the label of the first field that is missing or is not what it should be
 */
export function filledIn(
  { given, ask = [] }: Intent,
  typed: Typed,
): { readonly given: Readonly<Record<string, unknown>> } | { readonly wrong: string } {
  const filled: Record<string, unknown> = { ...given }
  for (const [at, asked] of ask.entries()) {
    const text = typed[at]?.trim() ?? ''
    if (text === '') {
      if (asked.optional === true) continue
      return { wrong: `${asked.label}: expected a value` }
    }
    const value = valueOf(asked, text)
    if (value === undefined) return { wrong: `${asked.label}: expected ${EXPECTED[asked.kind]}` }
    const { name, key } = asked
    filled[name] = key === undefined ? value : { ...(filled[name] as object), [key]: value }
  }
  return { given: filled }
}

const EXPECTED = {
  text: 'a text',
  json: 'JSON, such as {"ok":true} or "a text in quotes"',
  number: 'a whole number from 1',
} as const

function valueOf({ kind }: Asked, text: string): unknown {
  if (kind === 'text') return text
  if (kind === 'number') return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
