import type { AttributeValue } from '@aws-sdk/client-dynamodb'

export interface PartiQlStatement {
  readonly Statement?: string | undefined
  readonly Parameters?: readonly AttributeValue[] | undefined
}

/** The parts of a PartiQL statement that identify its item. */
interface ParsedStatement {
  readonly verb: string
  readonly table: string
  /** Attributes that equal a parameter, in the new item or in the conditions. */
  readonly equal: ReadonlyMap<string, AttributeValue>
  /** Of an UPDATE: attributes that are set to a parameter, sets to which one is added, and attributes that are removed. */
  readonly set: ReadonlyMap<string, AttributeValue>
  readonly added: ReadonlyMap<string, AttributeValue>
  readonly removed: ReadonlySet<string>
}

const TOKEN = /"((?:[^"]|"")*)"|'((?:[^']|'')*)'|[?]|[A-Za-z_][\w]*|[^\s]/gu

/** Reads parameters only; a key that is a literal in the text is not recognised. */
export function readStatement({
  Statement = '',
  Parameters = [],
}: PartiQlStatement): ParsedStatement {
  const tokens = [...Statement.matchAll(TOKEN)]
  const words = tokens.map(([token]) => token)
  const verb = (words[0] ?? '').toUpperCase()
  const isInsert = verb === 'INSERT'
  const begins = isInsert ? 0 : words.findIndex((word) => word.toUpperCase() === 'WHERE')
  const [equal, set, added] = [newValues(), newValues(), newValues()]
  let parameter = 0
  for (const [at, word] of words.entries()) {
    if (word !== '?') continue
    const value = Parameters[parameter++]
    const name = nameIn(tokens[at - 2])
    if (value === undefined || begins < 0) continue
    if (at < begins) {
      if (words[at - 1] === '=') set.set(name, value)
      if (words[at - 1] === ',') added.set(name, value)
      continue
    }
    if (words[at - 1] === (isInsert ? ':' : '=') && !equal.has(name)) equal.set(name, value)
  }
  const tableAt = verb === 'UPDATE' ? 1 : words.findIndex((word) => /^(INTO|FROM)$/i.test(word)) + 1
  const removed = new Set(removedNames(tokens.slice(0, Math.max(begins, 0))))
  return { verb, table: nameIn(tokens[tableAt]), equal, set, added, removed }
}

function newValues(): Map<string, AttributeValue> {
  return new Map()
}

/** `REMOVE "a" REMOVE "b"`, or `REMOVE "a", "b"`. */
function removedNames(tokens: readonly RegExpExecArray[]): readonly string[] {
  const first = tokens.findIndex(([word]) => word === 'REMOVE')
  if (first < 0) return []
  return tokens.slice(first).flatMap((token) => token[1] ?? [])
}

function nameIn(token: RegExpExecArray | undefined): string {
  return token?.[1] ?? token?.[2] ?? token?.[0] ?? ''
}
