import type { Item } from '../../../../src/library/protocol/store/store.ts'
import { textOfLate, textOfWorker } from './textOf.ts'
import type { State } from './state.ts'

/** A part of a state: a number for its content without the names in it, and these names. */
interface Part {
  readonly shape: number
  readonly names: readonly string[]
}

const shapes = new Map<string, number>()
const parts = new WeakMap<object, Part>()

/**
 * One for states that differ in names only, or in times that stand in the same order: what was named first in the one is what
 * was named first in the other. Parts of a state are never changed, so each is put into words once.
 */
export function keyOf(state: State): string {
  const { items, workers, late, queue, deadLetters, asked, facts } = state
  const groups = [
    partsOf([...items.values()], textOfItem),
    partsOf(workers, textOfWorker),
    partsOf(late, textOfLate),
    partsOf(queue, JSON.stringify),
    partsOf(deadLetters, JSON.stringify),
    partsOf([facts], JSON.stringify),
  ]
  const given = ranked(groups, state.clock)
  const words = groups.map((group) => wordsOf(group, given))
  const { ages, faults, errors, resets, drops, timeouts, redrives, restores, forges, copies } =
    state
  const questions =
    asked.size === 0
      ? ''
      : JSON.stringify([...asked].toSorted(([one], [other]) => (one < other ? -1 : 1)))
  const counts = `${given.get(String(state.clock))},${ages},${faults},${errors},${resets},${drops},${timeouts},${redrives},${restores},${forges},${copies}`
  return `${words.join(';')};${questions};${counts}`
}

function partsOf<P extends object>(group: readonly P[], textOf: (part: P) => string): Part[] {
  const unordered = group.map((part) => partOf(part, textOf))
  return group.length < 2 ? unordered : unordered.toSorted((one, other) => one.shape - other.shape)
}

/** Times by their order. All have five digits. */
function ranked(groups: readonly (readonly Part[])[], clock: number): Map<string, number> {
  const times = new Set([String(clock)])
  for (const group of groups)
    for (const { names } of group)
      for (const name of names) if (!name.startsWith('@')) times.add(name)
  return new Map([...times].toSorted().map((time, rank) => [time, rank]))
}

function wordsOf(group: readonly Part[], given: Map<string, number>): string {
  return group.map(({ shape, names }) => `${shape}${renamed(names, given)}`).join(',')
}

function renamed(names: readonly string[], given: Map<string, number>): string {
  let text = ''
  for (const name of names) {
    const number = given.get(name) ?? given.size
    given.set(name, number)
    text += `@${number}`
  }
  return text
}

const NAMES = /@\d+@|\b\d{5}\b/g

function partOf<P extends object>(object: P, textOf: (part: P) => string): Part {
  const known = parts.get(object)
  if (known !== undefined) return known
  const names: string[] = []
  const text = textOf(object).replace(NAMES, (name) => {
    if (!names.includes(name)) names.push(name)
    return `@${names.indexOf(name)}`
  })
  const shape = shapes.get(text) ?? shapes.size
  shapes.set(text, shape)
  const part = { shape, names }
  parts.set(object, part)
  return part
}

function textOfItem(item: Item): string {
  const compared = Object.entries(item).filter(([name]) => !NOT_COMPARED.has(name))
  const pairs = compared.map(([name, value]) =>
    typeof value === 'object' ? `${name}=${[...value].toSorted().join()}` : `${name}=${value}`,
  )
  return pairs.toSorted().join('|')
}

/** No rule reads them. */
const NOT_COMPARED = new Set([
  'created',
  'dueAt',
  'statusShard',
  'expectedCompletion',
  'actualCompletion',
  'ttl',
])
