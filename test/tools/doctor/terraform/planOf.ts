import { parseHcl } from './parseHcl.ts'

type Json = Record<string, unknown>

/** The text of the files of each module, by its folder; '.' is the root. */
export type Sources = Readonly<Record<string, string>>

/**
 * A plan as `terraform show -json` prints it, made from the source by its parser alone: no provider is asked, so attributes have no
 * defaults, and what refers to a resource is unknown. Calls of functions are unknown, too.
 */
export function planOf(sources: Sources): Json {
  const parsed = Object.entries(sources).map(([folder, text]) => [folder, parseHcl(text)] as const)
  const made = moduleOf(Object.fromEntries(parsed), '.', '', {})
  return {
    format_version: '1.2',
    planned_values: { root_module: made.values },
    configuration: { root_module: made.configuration },
  }
}

interface Made {
  readonly values: Json
  readonly configuration: Json
}

type Known = ReadonlyMap<string, unknown>

function moduleOf(all: Json, folder: string, address: string, given: Json): Made {
  const source = objectOf(all[folder])
  const known = knownIn(source, given)
  const at = (name: string): string => (address === '' ? name : `${address}.${name}`)
  const resources: Json[] = []
  const written: Json[] = []
  for (const mode of ['managed', 'data'] as const) {
    for (const [type, name, body] of blocksOf(source[mode === 'managed' ? 'resource' : 'data'])) {
      written.push({ mode, type, name, expressions: expressionsOf(body, known) })
      if (mode === 'data') continue
      for (const index of indexesOf(body, known)) {
        const key = index === undefined ? '' : `[${JSON.stringify(index)}]`
        resources.push({
          address: at(`${type}.${name}${key}`),
          mode,
          type,
          name,
          ...(index === undefined ? {} : { index }),
          values: valuesOf(body, known),
        })
      }
    }
  }
  const children: Json[] = []
  const calls: Json = {}
  for (const [name, body] of named(source['module'])) {
    const path = String(body['source'])
    const inner = `${folder === '.' ? '' : `${folder}/`}${path.replace(/^\.\//, '')}`
    const child = moduleOf(all, inner, at(`module.${name}`), valuesOf(body, known))
    children.push({ ...child.values, address: at(`module.${name}`) })
    calls[name] = { expressions: expressionsOf(body, known), module: child.configuration }
  }
  const outputs = named(source['output']).map(
    ([name, { value }]) => [name, { expression: expressionOf(value, known) }] as const,
  )
  return {
    values: { resources, child_modules: children },
    configuration: {
      resources: written,
      module_calls: calls,
      outputs: Object.fromEntries(outputs),
    },
  }
}

/** Variables that are given or have a default, and locals of them. */
function knownIn(source: Json, given: Json): Known {
  const known = new Map<string, unknown>()
  for (const [name, variable] of named(source['variable'])) {
    const value = name in given ? given[name] : variable['default']
    if (value !== undefined) known.set(`var.${name}`, value)
  }
  for (const [name, value] of listOf(source['locals']).flatMap((each) =>
    Object.entries(objectOf(each)),
  )) {
    const found = valueOf(value, known)
    if (found !== undefined) known.set(`local.${name}`, found)
  }
  return known
}

function indexesOf({ count, for_each }: Json, known: Known): readonly unknown[] {
  const number = valueOf(count, known)
  if (typeof number === 'number') return Array.from({ length: number }, (_, at) => at)
  const each = valueOf(for_each, known)
  if (Array.isArray(each)) return each as unknown[]
  if (typeof each === 'object' && each !== null) return Object.keys(each)
  return count === undefined && for_each === undefined ? [undefined] : [0]
}

const META = new Set([
  'count',
  'for_each',
  'depends_on',
  'lifecycle',
  'provider',
  'dynamic',
  'source',
])

function valuesOf(body: Json, known: Known): Json {
  return Object.fromEntries(
    Object.entries(body)
      .filter(([name]) => !META.has(name))
      .map(([name, value]) => [name, valueOf(value, known)] as const)
      .filter(([, value]) => value !== undefined),
  )
}

/** undefined: it is known only when it is applied. */
function valueOf(value: unknown, known: Known): unknown {
  if (typeof value === 'string') return textOf(value, known)
  if (Array.isArray(value)) {
    const all = value.map((each) => valueOf(each, known))
    const isBlock = value.every((each) => typeof each === 'object')
    return isBlock || !all.includes(undefined) ? all : undefined
  }
  return typeof value === 'object' && value !== null ? valuesOf(value as Json, known) : value
}

function textOf(text: string, known: Known): unknown {
  const [, whole] = /^\$\{([^{}]*)\}$/.exec(text) ?? []
  if (whole !== undefined) return known.get(whole.trim().replace(/^toset\((.*)\)$/, '$1'))
  let isKnown = true
  const replaced = text.replaceAll(/\$\{([^{}]*)\}/g, (_, name: string) => {
    const found = known.get(name.trim())
    if (found === undefined) isKnown = false
    return String(found)
  })
  return isKnown && !replaced.includes('${') ? replaced : undefined
}

function expressionsOf(body: Json, known: Known): Json {
  return Object.fromEntries(
    Object.entries(body)
      .filter(([name]) => !META.has(name))
      .map(([name, value]) => [name, expressionOf(value, known)]),
  )
}

function expressionOf(value: unknown, known: Known): unknown {
  if (Array.isArray(value) && value.every((each) => typeof each === 'object' && each !== null)) {
    return value.map((each) => expressionsOf(each as Json, known))
  }
  const references = referencesIn(JSON.stringify(value ?? null))
  return references.length > 0 ? { references } : { constant_value: valueOf(value, known) }
}

const REFERENCE =
  /\b(?:(?:var|local)\.\w+|module\.\w+(?:\[[^\]]*\])?\.\w+|(?:data\.)?aws_\w+\.[\w-]+(?:\[[^\]]*\])?(?:\.\w+)?)/g

/** Outside of `${…}` nothing refers to anything. */
function referencesIn(json: string): string[] {
  if (!json.includes('${')) return []
  return [...json.matchAll(REFERENCE)].flatMap(([found]) => {
    const whole = found.replaceAll('\\"', '"')
    const shorter = whole.replace(/\.\w+$/, '')
    return /^(var|local)\./.test(whole) ? [whole] : [whole, shorter]
  })
}

function blocksOf(value: unknown): [type: string, name: string, body: Json][] {
  return inOrder(objectOf(value)).flatMap(([type, byName]) =>
    named(byName).map(([name, body]): [string, string, Json] => [type, name, body]),
  )
}

/** Several blocks of one name are one resource here. */
function named(value: unknown): [name: string, body: Json][] {
  return inOrder(objectOf(value)).map(([name, bodies]) => [
    name,
    listOf(bodies).reduce<Json>((all, body) => ({ ...all, ...objectOf(body) }), {}),
  ])
}

/** By name, as Terraform lists them. */
function inOrder(all: Json): [name: string, value: unknown][] {
  return Object.entries(all).toSorted(([one], [other]) => (one < other ? -1 : 1))
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {}
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : []
}
