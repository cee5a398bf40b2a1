/** What a consumer's schema has said about a value of the payload that it refused. */
interface Expectation {
  /** @example 'lines.0.total' */
  readonly path: string
  /** @example 'number' */
  readonly expected: string
  /** Whether the value is of that type now; undefined: this page cannot tell. */
  readonly met: boolean | undefined
}

/** As Zod words it; other schemas word it differently, and then nothing is known. */
const REFUSED = /([\w.[\]-]+): Invalid input: expected (\w+), received \w+/g

/**
 * The console does not have the consumer's schema. What its error has said about single values can be checked all the same.
 * @param error of the dead letter
 */
export function expectationsOf(error: string, payload: unknown): readonly Expectation[] {
  return [...error.matchAll(REFUSED)].map(([, path = '', expected = '']) => {
    const names = path.replaceAll(/\[(\w+)\]/g, '.$1').split('.')
    const value = names.reduce(memberOf, payload)
    return { path, expected, met: isOf(value, expected) }
  })
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Readonly<Record<string, unknown>>)[name]
}

function isOf(value: unknown, expected: string): boolean | undefined {
  switch (expected) {
    case 'number':
    case 'string':
    case 'boolean':
      return typeof value === expected
    case 'int':
      return Number.isInteger(value)
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
    case 'record':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    default:
      return undefined
  }
}
