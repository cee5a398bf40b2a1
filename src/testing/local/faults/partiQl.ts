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
  const equal = new Map<string, AttributeValue>()
  let parameter = 0
  for (const [at, word] of words.entries()) {
    if (word !== '?') continue
    const value = Parameters[parameter++]
    const name = nameIn(tokens[at - 2])
    if (
      value === undefined ||
      begins < 0 ||
      at < begins ||
      words[at - 1] !== (isInsert ? ':' : '=')
    )
      continue
    if (!equal.has(name)) equal.set(name, value)
  }
  const tableAt = verb === 'UPDATE' ? 1 : words.findIndex((word) => /^(INTO|FROM)$/i.test(word)) + 1
  return { verb, table: nameIn(tokens[tableAt]), equal }
}

function nameIn(token: RegExpExecArray | undefined): string {
  return token?.[1] ?? token?.[2] ?? token?.[0] ?? ''
}
