import type { StandardSchemaV1 } from '@standard-schema/spec'

/** Names that a schema declares. Other names in a payload must not be logged: its keys may be e-mail addresses, for example. */
export type DeclaredNames = ReadonlySet<string>

/** The most objects of a schema that are searched. Names in further objects count as undeclared, and are not logged. */
const MAX_OBJECTS = 5_000
/** Some libraries (arktype) describe a property as an object. The property's name is then the value of this key. */
const NAME_OF = 'key'

const known = new WeakMap<StandardSchemaV1, DeclaredNames>()

/**
 * A Standard Schema does not show its shape, so every key that occurs in the schema object counts as declared: libraries keep
 * the shape of an object under the names of its properties.
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
  // A schema may itself be a function.
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

/**
 * Getters that return the shape of an object in some libraries (zod, arktype). Other getters are not called, because they could
 * change the schema.
 */
const SAFE_GETTERS: ReadonlySet<string> = new Set(['shape', 'json'])

function entriesOf(value: object): [string, unknown][] {
  const entries: [string, unknown][] = []
  for (const [name, given] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    if (given.get === undefined) entries.push([name, given.value])
    else if (SAFE_GETTERS.has(name)) entries.push([name, given.get.call(value)])
  }
  return entries
}
