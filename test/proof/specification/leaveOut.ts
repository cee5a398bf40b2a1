import { partsOf } from './tla/act.ts'
import type { Expression, Module } from './tla/syntax.ts'
import { textOfExpression } from './tla/textOfExpression.ts'

/** A definition without one condition. */
export interface Mutant {
  /** The definition, and what it lacks. */
  readonly lacks: string
  /** The definition's place in the module. */
  readonly place: number
  readonly body: Expression
}

/** Where a worker stands in its program, and the bounds of a search: no condition of a decision or a write. */
const OF_THE_SEARCH = /^\S+\.pc (?:=|#|\\in) [^>]*$|faults|MaxIds|IsAlive/

/**
 * Each conjunct of each decision and write left out, and each branch of an IF that decides. What counts for the promises is left as it
 * is.
 */
export function leaveOut(module: Module, uncounted: readonly string[]): Mutant[] {
  return module.definitions.flatMap(({ name, body }, place) => {
    if (uncounted.includes(name)) return []
    const changes = changesOf(body)
    return changes.map(({ without, to }, nth) => ({
      lacks: `${name}: ${without}${timesBefore(changes, nth)}`,
      place,
      body: to,
    }))
  })
}

/** Some conditions stand in a definition more than once. */
function timesBefore(changes: readonly Change[], nth: number): string {
  const before = changes.slice(0, nth)
  const times = before.filter(({ without }) => without === changes[nth]?.without).length
  return times === 0 ? '' : ` (${times + 1})`
}

interface Change {
  readonly without: string
  readonly to: Expression
}

function changesOf(of: Expression): Change[] {
  const isAssigned =
    of.is === 'unchanged' || ((of.is === '=' || of.is === '\\in') && of.left.is === 'primed')
  if (isAssigned) return []
  return [...ownChanges(of), ...innerChanges(of)]
}

function ownChanges(of: Expression): Change[] {
  if (of.is === 'all') {
    return of.parts.flatMap((part, nth) => {
      if (isAction(part) || isOfTheSearch(part)) return []
      return [
        {
          without: textOfExpression(part),
          to: { is: 'all', parts: of.parts.toSpliced(nth, 1) } as const,
        },
      ]
    })
  }
  if (of.is === 'cases' && of.other !== undefined && !isAction(of)) {
    return of.cases.flatMap((one, nth) => {
      if (isOfTheSearch(one.when) || one.gives.is !== 'literal') return []
      const text = `IF ${textOfExpression(one.when)} THEN ${textOfExpression(one.gives)}`
      const never = { when: { is: 'literal', value: false } as const, gives: one.gives }
      return [{ without: text, to: { ...of, cases: of.cases.with(nth, never) } }]
    })
  }
  return []
}

function isOfTheSearch(part: Expression): boolean {
  return OF_THE_SEARCH.test(textOfExpression(part))
}

const ACTIONS = /'|UNCHANGED|\b(?:Become|Goes|Apply|SameRecord|Told|Fails)\b/

function isAction(of: Expression): boolean {
  return ACTIONS.test(textOfExpression(of)) || partsOf(of).some(isAction)
}

function innerChanges(of: Expression): Change[] {
  const inside = (part: Expression, put: (changed: Expression) => Expression): Change[] =>
    changesOf(part).map(({ without, to }) => ({ without, to: put(to) }))
  switch (of.is) {
    case 'all':
    case 'any':
      return of.parts.flatMap((part, nth) =>
        inside(part, (to) => ({ is: of.is, parts: of.parts.with(nth, to) })),
      )
    case 'some':
    case 'every':
      return inside(of.to, (to) => ({ ...of, to }))
    case 'not':
      return inside(of.of, (to) => ({ is: 'not', of: to }))
    case '=>':
      return inside(of.right, (right) => ({ ...of, right }))
    case 'let':
      return inside(of.in, (to) => ({ ...of, in: to }))
    case 'cases': {
      const cases = of.cases.flatMap((one, nth) => [
        ...inside(one.when, (when) => ({ ...of, cases: of.cases.with(nth, { ...one, when }) })),
        ...inside(one.gives, (gives) => ({ ...of, cases: of.cases.with(nth, { ...one, gives }) })),
      ])
      const { other } = of
      return other === undefined
        ? cases
        : [...cases, ...inside(other, (to) => ({ ...of, other: to }))]
    }
    default:
      return []
  }
}
