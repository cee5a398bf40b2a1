import type { WireValue } from '../../../../../base/limits/wireValue.ts'
import { readNumber } from '../values/value.ts'
import { type Path, readPath, resolve, unquoted, valueAt } from './path.ts'
import type { Scope, Source } from './source.ts'

/** A path, a value, or a function of them, in a condition or a change. */
export interface Operand {
  read(scope: Scope): WireValue | undefined
  /** Its value, if that does not depend on the item. */
  readonly literal?: Literal
  readonly path?: Path
}

export type Literal = (scope: Scope) => WireValue | undefined

export function readOperand(source: Source): Operand {
  const literal = readLiteral(source)
  if (literal !== undefined) return { read: literal, literal }
  if (source.peek() !== 'size') {
    const path = readPath(source)
    return { read: (scope) => valueAt(scope.item, resolve(path, scope)), path }
  }
  source.take()
  source.expect('(')
  const { read } = readOperand(source)
  source.expect(')')
  return { read: (scope) => sizeOf(read(scope)) }
}

export function readLiteral(source: Source): Literal | undefined {
  const token = source.peek()
  if (source.isPartiQl) return readPartiQlLiteral(source, token)
  if (!token.startsWith(':') || token.length === 1) return undefined
  source.values.add(source.take())
  return ({ values }) => values[token]
}

/** Question marks are numbered as they come. */
function readPartiQlLiteral(source: Source, token: string): Literal | undefined {
  const value = token.startsWith("'")
    ? { S: unquoted(token) }
    : /^-?\d/.test(token) && { N: readNumber(token) }
  if (value !== false) {
    source.take()
    return () => value
  }
  if (token !== '?') return undefined
  source.take()
  const placeholder = `?${source.values.size}`
  source.values.add(placeholder)
  return ({ values }) => values[placeholder]
}

function sizeOf(value: WireValue | undefined): WireValue | undefined {
  const { S, B, SS, NS, BS, L, M } = value ?? {}
  const sized = S ?? B ?? SS ?? NS ?? BS ?? L ?? (M && Object.keys(M))
  return sized === undefined ? undefined : { N: String(sized.length) }
}
