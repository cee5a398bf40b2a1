import {
  bind,
  chosen,
  evaluate,
  inside,
  isMeaning,
  type Meaning,
  type Scope,
  type Step,
  withLet,
} from './evaluate.ts'
import type { Expression, Operation } from './syntax.ts'
import { asGroup, type Value } from './values.ts'

/** Calls `then` with each step that the action allows, in the order in which its parts stand. */
export function act(of: Expression, scope: Scope, step: Step, then: (step: Step) => void): void {
  if (!speaksOfNext(of, scope)) {
    if (evaluate(of, scope, step) === true) then(step)
    return
  }
  switch (of.is) {
    case 'all':
      return inTurn(of.parts, scope, step, then)
    case 'any':
      return of.parts.forEach((part) => act(part, scope, step, then))
    case 'some':
      for (const member of asGroup(evaluate(of.each.from, scope, step)).members) {
        act(of.to, bind(scope, new Map([[of.each.name, member]])), step, then)
      }
      return
    case 'cases':
      return act(
        chosen(of, (when) => evaluate(when, scope, step) === true),
        scope,
        step,
        then,
      )
    case 'let':
      return act(of.in, withLet(of.definitions, scope), step, then)
    case 'name':
      return call(of, scope, step, then)
    case 'unchanged':
      return then(unchanged(of.names, scope, step))
    case '=':
    case '\\in':
      return assign(of, scope, step, then)
    default:
      if (evaluate(of, scope, step) === true) then(step)
  }
}

function inTurn(
  [part, ...rest]: readonly Expression[],
  scope: Scope,
  step: Step,
  then: (step: Step) => void,
): void {
  if (part === undefined) then(step)
  else act(part, scope, step, (after) => inTurn(rest, scope, after, then))
}

function call(
  { name, given }: Extract<Expression, { is: 'name' }>,
  scope: Scope,
  step: Step,
  then: (step: Step) => void,
): void {
  const found = scope.find(name)
  if (!isMeaning(found)) throw new Error(`${name} is no action`)
  const values = given.map((part) => evaluate(part, scope, step))
  act(found.definition.body, inside(found, values), step, then)
}

/** A variable that an action gives twice has to be given the same value. */
function assign(
  { is, left, right }: Operation,
  scope: Scope,
  step: Step,
  then: (step: Step) => void,
): void {
  if (left.is !== 'primed' || step.next.has(left.name)) {
    if (evaluate({ is, left, right }, scope, step) === true) then(step)
    return
  }
  const given = evaluate(right, scope, step)
  for (const value of is === '=' ? [given] : asGroup(given).members) {
    then({ now: step.now, next: new Map(step.next).set(left.name, value) })
  }
}

function unchanged(names: readonly string[], scope: Scope, step: Step): Step {
  const next = new Map(step.next)
  for (const name of names.flatMap((each) => variablesIn(each, scope))) {
    next.set(name, valueNow(step, name))
  }
  return { now: step.now, next }
}

/** `UNCHANGED vars` speaks of the variables in the tuple of that name. */
function variablesIn(name: string, scope: Scope): readonly string[] {
  const found = scope.find(name)
  return isMeaning(found) && found.definition.body.is === 'tuple'
    ? found.definition.body.names
    : [name]
}

function valueNow({ now }: Step, name: string): Value {
  const value = now.get(name)
  if (value === undefined) throw new Error(`${name} is no variable`)
  return value
}

const answers = new WeakMap<Expression, boolean>()

/** Whether an expression is about the next state, itself or by what it calls. */
function speaksOfNext(of: Expression, scope: Scope): boolean {
  const answered = answers.get(of)
  if (answered !== undefined) return answered
  const answer =
    of.is === 'primed' ||
    of.is === 'unchanged' ||
    (of.is === 'name' && definitionSpeaks(of.name, scope)) ||
    (of.is === 'let' && speaksOfNext(of.in, withLet(of.definitions, scope))) ||
    partsOf(of).some((part) => speaksOfNext(part, scope))
  answers.set(of, answer)
  return answer
}

function definitionSpeaks(name: string, scope: Scope): boolean {
  const found = scope.find(name)
  return isMeaning(found) && speaksOfNext(found.definition.body, around(found))
}

function around(found: Meaning): Scope {
  return inside(found, [])
}

export function partsOf(of: Expression): readonly Expression[] {
  switch (of.is) {
    case 'all':
    case 'any':
      return of.parts
    case 'some':
    case 'every':
    case 'mapped':
    case 'function':
      return [of.each.from, of.to]
    case 'cases':
      return [
        ...of.cases.flatMap(({ when, gives }) => [when, gives]),
        ...(of.other ? [of.other] : []),
      ]
    case 'name':
      return of.given
    case 'not':
      return [of.of]
    case 'at':
      return [of.of, of.key]
    case 'except':
      return [of.of, ...of.changes.flatMap(({ path, to }) => [...path, to])]
    case 'record':
      return of.fields.map(([, field]) => field)
    case 'set':
      return of.members
    case 'let':
      return [of.in]
    case 'literal':
    case 'given':
    case 'primed':
    case 'unchanged':
    case 'before':
    case 'tuple':
      return []
    default:
      return [of.left, of.right]
  }
}
