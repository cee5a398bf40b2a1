import { act, partsOf } from './act.ts'
import { evaluate, type Meaning, type Scope } from './evaluate.ts'
import type { Expression, Module } from './syntax.ts'
import { textOf, type Value } from './values.ts'

export interface Bounds {
  readonly constants: Readonly<Record<string, Value>>
  readonly promises: readonly string[]
  /** A search with more states ends with an error. */
  readonly most: number
  /** Gets each state, with what a definition of the module says there. */
  readonly visit?: ((state: State, say: Say) => void) | undefined
}

/** The value of a definition in the state that is visited. */
export type Say = (name: string, ...given: readonly Value[]) => Value

export interface Found {
  readonly states: number
  /** The promise that a state breaks, and the shortest way to it; or `stuck`, when nothing can happen. */
  readonly broken?: { readonly promise: string; readonly way: readonly string[] }
}

export type State = ReadonlyMap<string, Value>

interface Reached {
  readonly state: State
  readonly from: Reached | undefined
}

/** All states that `Next` reaches from `Init`, breadth first, until one breaks a promise. */
export function explore(module: Module, { constants, promises, most, visit }: Bounds): Found {
  const scope = scopeOf(module, constants)
  const keyOf = (state: State): string =>
    module.variables.map((name) => idOf(state.get(name))).join()
  const seen = new Set<string>()
  const reached: Reached[] = []
  const add = (state: State, from: Reached | undefined): void => {
    const key = keyOf(state)
    if (seen.has(key)) return
    seen.add(key)
    reached.push({ state, from })
  }
  const name = (text: string) => ({ is: 'name', name: text, given: [] }) as const
  act(initial(module), scope, { now: new Map(), next: new Map() }, ({ next }) =>
    add(next, undefined),
  )
  for (let nth = 0; nth < reached.length; nth++) {
    const one = reached[nth]
    if (one === undefined) break
    if (reached.length > most) throw new Error(`more than ${most} states`)
    const step = { now: one.state, next: new Map<string, Value>() }
    visit?.(one.state, (definition, ...values) => {
      const given = values.map((value) => ({ is: 'given', value }) as const)
      return evaluate({ is: 'name', name: definition, given }, scope, step)
    })
    const broken = promises.find((promise) => evaluate(name(promise), scope, step) !== true)
    if (broken !== undefined)
      return { states: seen.size, broken: { promise: broken, way: way(one) } }
    let isStuck = true
    act(name('Next'), scope, step, ({ next }) => {
      isStuck = false
      add(complete(module, next), one)
    })
    if (isStuck) return { states: seen.size, broken: { promise: 'stuck', way: way(one) } }
  }
  return { states: seen.size }
}

function complete({ variables }: Module, next: State): State {
  const missing = variables.filter((name) => !next.has(name))
  if (missing.length > 0)
    throw new Error(`an action does not say what becomes of ${missing.join()}`)
  return next
}

/** `Init` says of each variable what it is; so it is read as what it becomes. */
function initial({ definitions, variables }: Module) {
  const init = definitions.find(({ name }) => name === 'Init')
  if (init === undefined) throw new Error('there is no Init')
  return primed(init.body, variables)
}

function primed(
  of: Module['definitions'][number]['body'],
  variables: readonly string[],
): typeof of {
  if (of.is === 'all') return { is: 'all', parts: of.parts.map((part) => primed(part, variables)) }
  if (of.is === '=' && of.left.is === 'name' && variables.includes(of.left.name)) {
    return { ...of, left: { is: 'primed', name: of.left.name } }
  }
  throw new Error('Init is more than a list of variable = value')
}

export function scopeOf({ definitions, variables }: Module, constants: Bounds['constants']): Scope {
  const names = new Map<string, Value | Meaning>(Object.entries(constants))
  const scope: Scope = { find: (name) => names.get(name) }
  const changing = new Set(variables)
  for (const definition of definitions) {
    const { name, parameters, body } = definition
    const isConstant = parameters.length === 0 && !namesIn(body).some((one) => changing.has(one))
    if (!isConstant) changing.add(name)
    names.set(name, { definition, scope: () => scope, ...(isConstant && { constant: {} }) })
  }
  return scope
}

/** What an expression speaks of, by name; TLA+ defines each before it is used. */
function namesIn(of: Expression): readonly string[] {
  const own = of.is === 'name' || of.is === 'primed' ? [of.name] : []
  const listed = of.is === 'tuple' || of.is === 'unchanged' ? of.names : []
  const defined = of.is === 'let' ? of.definitions.map(({ body }) => body) : []
  return [...own, ...listed, ...[...partsOf(of), ...defined].flatMap(namesIn)]
}

function idOf(value: Value | undefined): string {
  return typeof value === 'object' ? `#${value.id}` : String(value)
}

/** What changes in each step. */
function way(last: Reached): string[] {
  const { state, from } = last
  if (from === undefined) return []
  const changed = [...state].filter(([name, value]) => from.state.get(name) !== value)
  return [...way(from), changed.map(([name, value]) => `${name}: ${textOf(value)}`).join('; ')]
}
