import type { Mutant } from '../leaveOut.ts'
import type { Definition, Expression, Module } from '../tla/syntax.ts'
import { textOfTree } from '../tla/textOfTree.ts'

/** A module that begins with the number of the mutant that it is, so that one run of TLC searches all of them. */
const NUMBER = 'without'

/**
 * @param mutants by their numbers, from 1 on; 0 is the module itself
 * @returns a module that prints the number at each state, and the first promise that breaks, after which its search ends. The bounds
 * have the invariant `Counted` and the constraint `GoesOn`.
 */
export function withoutEach(
  name: string,
  module: Module,
  mutants: ReadonlyMap<number, Mutant>,
  promises: readonly string[],
): string {
  const numbers = [0, ...mutants.keys()]
  const definitions = module.definitions.map((definition, place) => {
    const body = chosen(definition, place, mutants)
    if (definition.name === 'Init') return { ...definition, body: both(body, startsAs(numbers)) }
    if (definition.name === 'Next') return { ...definition, body: both(body, STAYS) }
    return { ...definition, body }
  })
  const variables = [...module.variables, NUMBER]
  return textOfTree(name, { ...module, variables, definitions }, notesOf(numbers, promises))
}

function chosen(
  { body }: Definition,
  place: number,
  mutants: ReadonlyMap<number, Mutant>,
): Expression {
  const own = [...mutants].filter(([, mutant]) => mutant.place === place)
  const cases = own.map(([number, mutant]) => ({ when: isNumber(number), gives: mutant.body }))
  return cases.length === 0 ? body : { is: 'cases', cases, other: body }
}

function isNumber(number: number): Expression {
  return { is: '=', left: ownNumber(), right: { is: 'literal', value: number } }
}

function startsAs(numbers: readonly number[]): Expression {
  const members = numbers.map((value) => ({ is: 'literal', value }) as const)
  return { is: '\\in', left: ownNumber(), right: { is: 'set', members } }
}

function ownNumber(): Expression {
  return { is: 'name', name: NUMBER, given: [] }
}

function both(one: Expression, other: Expression): Expression {
  return { is: 'all', parts: [one, other] }
}

const STAYS: Expression = { is: 'unchanged', names: [NUMBER] }

/** TLC keeps what breaks in a register, the same for all states, and counts registers from 1 on. */
function notesOf(numbers: readonly number[], promises: readonly string[]): string {
  const register = `${NUMBER} + 1`
  const breaks = promises.map((promise) => `~${promise} -> "${promise}"`)
  const empty = numbers.map((number) => `TLCSet(${number + 1}, "")`)
  return [
    `Breaks == CASE ${breaks.join(' [] ')} [] OTHER -> ""`,
    `ASSUME ${empty.join(' /\\ ')}`,
    `GoesOn == TLCGet(${register}) = ""`,
    'Counted ==',
    `  IF TLCGet(${register}) # "" THEN TRUE`,
    `  ELSE IF Breaks = "" THEN PrintT(${NUMBER})`,
    `  ELSE TLCSet(${register}, Breaks) /\\ PrintT(<<${NUMBER}, Breaks>>)`,
  ].join('\n')
}
