import type { StandardSchemaV1 } from '@standard-schema/spec'

/**
 * One issue of a schema, for logs and dead letters: where, and what. Libraries differ in whether their words quote the
 * value they refuse (valibot and arktype do, zod quotes unknown names); such words are replaced by the issue's code.
 */
export function describeIssue(issue: StandardSchemaV1.Issue, payload: unknown): string {
  const what = quotes(issue, payload) ? codeOf(issue) : issue.message
  const path = issue.path?.map((step) => String(typeof step === 'object' ? step.key : step))
  return path === undefined || path.length === 0 ? what : `${cut(path.join('.'))}: ${what}`
}

/** Not part of the standard: `code` of zod and arktype, `type` of valibot; `received`, `actual`, `keys` are of the payload. */
type Details = Partial<
  Record<'code' | 'type' | 'expected' | 'received' | 'actual' | 'keys', unknown>
>

function codeOf(issue: StandardSchemaV1.Issue & Details): string {
  const code = [issue.code, issue.type].find((each) => typeof each === 'string')
  const named = typeof code === 'string' ? cut(code) : 'refused'
  return typeof issue.expected === 'string' ? `${named}, expected ${cut(issue.expected)}` : named
}

function quotes(issue: StandardSchemaV1.Issue & Details, payload: unknown): boolean {
  const message = issue.message.toLowerCase()
  const { received, actual, keys } = issue
  for (const text of textsIn([received, actual, keys, payload])) {
    if (message.includes(text)) return true
  }
  return false
}

/** Values to look at; beyond that the message is not compared but taken for a quotation. */
const MOST_VALUES = 10_000

/** Every text and number in it, in lower case. A walk without recursion: payloads may be of any depth. */
function* textsIn(value: unknown): Generator<string> {
  const left: unknown[] = [value]
  for (let seen = 0; left.length > 0; seen++) {
    const next = left.pop()
    if (seen > MOST_VALUES) yield ''
    if (typeof next === 'object' && next !== null) {
      for (const held of Object.values(next)) left.push(held)
    } else if (typeof next === 'string' || typeof next === 'number') {
      const text = String(next).trim().toLowerCase()
      if (text !== '') yield text
    }
  }
}

const MOST_CHARACTERS = 200

function cut(text: string): string {
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS)}…`
}
