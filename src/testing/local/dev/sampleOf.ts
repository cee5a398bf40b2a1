import { isObject } from '../../../base/kindOf.ts'
import type { Sample, SampleMaker } from './definition.ts'

type JsonSchema = Readonly<Record<string, unknown>>

/** Deeper parts of a schema are left out: it may describe itself. */
const DEEPEST = 20

/**
 * A value that a JSON Schema describes: the first of what it names (default, examples, constants, enumerations, alternatives), and
 * else a plain value of its type. Optional properties and references are left out; patterns are not followed.
 */
export function sampleOf(schema: unknown, depth = 0): unknown {
  if (!isObject(schema) || depth > DEEPEST) return null
  const [example] = asList(schema['examples'])
  const [named] = asList(schema['enum'])
  for (const given of [schema['default'], example, schema['const'], named]) {
    if (given !== undefined) return given
  }
  const [chosen] = [...asList(schema['oneOf']), ...asList(schema['anyOf'])]
  if (chosen !== undefined) return sampleOf(chosen, depth + 1)
  const parts = asList(schema['allOf'])
  if (parts.length > 0) {
    return Object.assign({}, ...parts.map((part) => sampleOf(part, depth + 1))) as unknown
  }
  return ofType(schema, depth)
}

function ofType(schema: JsonSchema, depth: number): unknown {
  // A list of types is a union: the first is as good as another.
  const [type = 'properties' in schema ? 'object' : 'null'] = asList(schema['type'] ?? []).concat(
    typeof schema['type'] === 'string' ? [schema['type']] : [],
  )
  if (type === 'object') return objectOf(schema, depth)
  if (type === 'array') return arrayOf(schema, depth)
  if (type === 'string') return textOf(schema)
  if (type === 'number' || type === 'integer') return numberOf(schema, type === 'integer')
  return type === 'boolean' ? true : null
}

function objectOf(schema: JsonSchema, depth: number): object {
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  const needed = asList(schema['required'])
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => needed.includes(name))
      .map(([name, property]) => [name, sampleOf(property, depth + 1)]),
  )
}

function arrayOf(schema: JsonSchema, depth: number): readonly unknown[] {
  const fixed = asList(schema['prefixItems'])
  if (fixed.length > 0) return fixed.map((item) => sampleOf(item, depth + 1))
  // One item shows what belongs there, where the schema does not ask for more.
  const least = Math.max(1, countOf(schema['minItems'], 1))
  const length = Math.min(countOf(schema['maxItems'], Infinity), least)
  return isObject(schema['items']) && !('$ref' in schema['items'])
    ? Array.from({ length }, () => sampleOf(schema['items'], depth + 1))
    : []
}

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2026-01-31T12:00:00Z',
  date: '2026-01-31',
  time: '12:00:00',
  duration: 'PT1H',
  email: 'ann@example.com',
  uri: 'https://example.com/',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uuid: '3f2b8c1e-5d4a-4b6f-9c7d-1e2f3a4b5c6d',
}

function textOf({ format, minLength, maxLength }: JsonSchema): string {
  const known = FORMATS[String(format)]
  if (known !== undefined) return known
  return 'text'.padEnd(countOf(minLength, 0), '-').slice(0, countOf(maxLength, Infinity))
}

/** The first that fits of 1 and what is at or beside a bound. */
function numberOf(schema: JsonSchema, isWhole: boolean): number {
  const above = countOf(schema['exclusiveMinimum'], -Infinity)
  const below = countOf(schema['exclusiveMaximum'], Infinity)
  const least = Math.max(countOf(schema['minimum'], -Infinity), above)
  const most = Math.min(countOf(schema['maximum'], Infinity), below)
  const step = countOf(schema['multipleOf'], 1)
  const fits = (value: number): boolean =>
    value >= least &&
    value <= most &&
    value > above &&
    value < below &&
    (!isWhole || Number.isInteger(value)) &&
    (schema['multipleOf'] === undefined || value % step === 0)
  const up = Math.floor(least / step) * step
  const down = Math.ceil(most / step) * step
  const beside = [up, up + step, down, down - step, (least + most) / 2]
  return (
    [1, least, most, step, ...beside].find((value) => Number.isFinite(value) && fits(value)) ?? 1
  )
}

function countOf(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function isMaker(sample: Sample | undefined): sample is SampleMaker {
  return typeof sample === 'function'
}

/** @param number counts from 1 */
export function sampleAt(sample: Sample | undefined, number: number): unknown {
  return isMaker(sample) ? sample(number) : sample
}
