import type { StandardSchemaV1 } from '@standard-schema/spec'

/** Names that a schema declares; the payload may have others, such as the e-mail addresses of a record. */
export type DeclaredNames = ReadonlySet<string>

/** Objects to look at: what stands deeper is taken for undeclared, and is not shown. */
const MAX_OBJECTS = 5_000
/** Beside them stands the name of a property, where a library describes it as data (arktype). */
const NAME_OF = 'key'

const known = new WeakMap<StandardSchemaV1, DeclaredNames>()

/**
 * A Standard Schema does not tell its shape, so each name that occurs in it is taken for declared: libraries keep the shape
 * of an object under the names of its properties.
 */
export function declaredNames(schema: StandardSchemaV1): DeclaredNames {
  const before = known.get(schema)
  if (before !== undefined) return before
  const names = namesIn(schema)
  known.set(schema, names)
  return names
}

function namesIn(schema: StandardSchemaV1): DeclaredNames {
  const names = new Set<string>()
  const seen = new Set<unknown>()
  // A schema may be a function itself.
  const left: unknown[] = entriesOf(schema).map(([, value]) => value)
  while (left.length > 0 && seen.size < MAX_OBJECTS) {
    const next = left.shift()
    if (!isObject(next) || seen.has(next)) continue
    seen.add(next)
    for (const [name, value] of entriesOf(next)) {
      names.add(name)
      if (name === NAME_OF && typeof value === 'string') names.add(value)
      left.push(value)
    }
  }
  return names
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** Where libraries keep the shape of an object behind a getter (zod, arktype). To ask for another could change the schema. */
const SAFE_GETTERS: ReadonlySet<string> = new Set(['shape', 'json'])

function entriesOf(value: object): [string, unknown][] {
  const entries: [string, unknown][] = []
  for (const [name, given] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    if (given.get === undefined) entries.push([name, given.value])
    else if (SAFE_GETTERS.has(name)) entries.push([name, given.get.call(value)])
  }
  return entries
}
