import { asList, asValues, own, textOfValue } from '../template/resolve.ts'
import { type Instance, MODULE, type Module, type TerraformPlan, unquotedKey } from './instances.ts'

/** Through how many modules a reference is followed, and how many are; a configuration has no circle, but a file may. */
const MOST_MODULES = 20
const MOST_REFERENCES = 100_000

/** The resources and data sources that an argument refers to, in its order, through variables and outputs of modules. */
export function referredBy(
  plan: TerraformPlan,
  instance: Instance,
  expression: unknown,
): Instance[] {
  const found = follow(plan, instance.module, instance.key, expression, {
    depth: 0,
    followed: { count: 0 },
  })
  return [...new Set(found)].filter((each) => each !== instance)
}

/** `followed` is shared by all branches of one reference. */
interface Way {
  readonly depth: number
  readonly followed: { count: number }
}

function follow(
  plan: TerraformPlan,
  module: Module,
  key: string,
  expression: unknown,
  { depth, followed }: Way,
): Instance[] {
  followed.count += 1
  if (depth > MOST_MODULES || followed.count > MOST_REFERENCES) return []
  const next = { depth: depth + 1, followed }
  return referencesIn(expression).flatMap((reference) => {
    const parts = split(reference)
    const [first, name = '', third = ''] = parts
    if (first === 'var') {
      if (module.parent === undefined) return []
      const given = own(module.given, withoutKey(name))
      return follow(plan, module.parent, module.key, given, next)
    }
    if (first === 'module') {
      const called = module.children.filter(
        ({ address }) => MODULE.exec(address)?.[1] === withoutKey(name),
      )
      return chosen(called, keyOf(name), key).flatMap((child) => {
        const output = own(asValues(child.configuration['outputs']), withoutKey(third))
        return follow(plan, child, child.key, asValues(output)['expression'], next)
      })
    }
    const [mode, type, local] =
      first === 'data' ? (['data', name, third] as const) : (['managed', first, name] as const)
    const same = plan.filter(
      (each) =>
        each.module === module &&
        each.mode === mode &&
        each.type === type &&
        each.name === withoutKey(local),
    )
    return chosen(same, keyOf(local), key)
  })
}

/** The instance that is named, or the one of the same key, or all of them. */
function chosen<T extends { readonly key: string }>(
  all: readonly T[],
  named: string | undefined,
  key: string,
): readonly T[] {
  const wanted = all.filter((each) => each.key === (named ?? key))
  return wanted.length > 0 ? wanted : all
}

/** References come in several forms, the longest first: `a.b[0].arn`, `a.b[0]`, `a.b`. The longest one of each says most. */
function referencesIn(expression: unknown): string[] {
  if (Array.isArray(expression)) return expression.flatMap(referencesIn)
  if (typeof expression !== 'object' || expression === null) return []
  const { references } = asValues(expression)
  if (references === undefined) return Object.values(expression).flatMap(referencesIn)
  const all = asList(references).map(textOfValue)
  return all.filter(
    (each, at) =>
      !all
        .slice(0, at)
        .some((longer) => longer.startsWith(`${each}.`) || longer.startsWith(`${each}[`)),
  )
}

/** At the dots outside of brackets. */
function split(reference: string): string[] {
  return reference.match(/(?:[^.[]|\[[^\]]*\])+/g) ?? []
}

function withoutKey(part: string): string {
  return part.replace(/\[.*$/, '')
}

function keyOf(part: string): string | undefined {
  const [key] = /\[.*\]$/.exec(part) ?? []
  return key === undefined || /each\.|count\./.test(key) ? undefined : unquotedKey(key)
}
