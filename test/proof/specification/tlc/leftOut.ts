import { type Check, SMALL_CHECKS } from '../checks.ts'
import { CONDITIONS, mutantsOf } from '../conditions.ts'
import { searchEach } from './searchEach.ts'

/** @returns how many conditions are what the table says of them, and what differs */
export async function checkLeftOut(): Promise<readonly [passed: number, wrong: readonly string[]]> {
  const wrong: string[] = []
  let passed = 0
  for (const module of ['Token', 'Stage'] as const) {
    for (const [lacks, found] of await searchWithoutEach(module)) {
      const listed = CONDITIONS[module][lacks]
      if (listed === found) passed += 1
      else wrong.push(`${module}, without ${lacks}: ${found}; listed: ${listed ?? 'nothing'}`)
    }
  }
  return [passed, wrong]
}

/** @returns what breaks without each condition, or in which searches there are other states */
async function searchWithoutEach(module: Check['module']): Promise<ReadonlyMap<string, string>> {
  const open = new Map(mutantsOf(module).map((mutant, nth) => [nth + 1, mutant]))
  const changed = new Map([...open.keys()].map((number): [number, string[]] => [number, []]))
  const found = new Map<string, string>()
  for (const search of SMALL_CHECKS.filter((check) => check.module === module)) {
    const { breaks, states } = await searchEach(search, open)
    if (states.get(0) !== search.states)
      throw new Error(
        `${module}, ${search.what}: ${states.get(0)} states, and not ${search.states}`,
      )
    for (const [number, { lacks }] of open) {
      const promise = breaks.get(number)
      if (states.get(number) !== search.states) changed.get(number)?.push(search.what)
      if (promise === undefined) continue
      found.set(lacks, `breaks ${promise}: ${search.what}`)
      open.delete(number)
    }
  }
  for (const [number, { lacks }] of open) {
    const others = changed.get(number) ?? []
    found.set(lacks, others.length === 0 ? 'same states' : `other states: ${others.join('; ')}`)
  }
  return found
}
