import { type Check, SMALL_CHECKS, WIDE_CHECKS } from '../checks.ts'
import { CONDITIONS, mutantsOf } from '../conditions.ts'
import type { Mutant } from '../leaveOut.ts'
import { searchEach } from './searchEach.ts'

const SAME = 'same states'

/** @returns how many conditions are what the table says of them, and what differs */
export async function checkLeftOut(): Promise<readonly [passed: number, wrong: readonly string[]]> {
  const wrong: string[] = []
  let passed = 0
  for (const module of ['Token', 'Stage'] as const) {
    for (const [lacks, found] of await searchWithoutEach(module)) {
      const listed = CONDITIONS[module][lacks]
      if (agrees(listed, found)) passed += 1
      else wrong.push(`${module}, without ${lacks}: ${found}; listed: ${listed ?? 'nothing'}`)
    }
  }
  return [passed, wrong]
}

/** What is implied by something else changes nothing. */
function agrees(listed: string | undefined, found: string): boolean {
  return listed === found || (found === SAME && isImplied(listed))
}

function isImplied(listed: string | undefined): boolean {
  return listed?.startsWith('implied by ') === true
}

/** @returns what breaks without each condition, or in which searches there are other states */
export async function searchWithoutEach(
  module: Check['module'],
): Promise<ReadonlyMap<string, string>> {
  const open = new Map(mutantsOf(module).map((mutant, nth) => [nth + 1, mutant]))
  const changed = new Map([...open.keys()].map((number): [number, string[]] => [number, []]))
  const found = new Map<string, string>()
  const isOpen = (number: number, { lacks }: Mutant): boolean =>
    changed.get(number)?.length === 0 && !isImplied(CONDITIONS[module][lacks])
  for (const search of [...SMALL_CHECKS, ...WIDE_CHECKS]) {
    if (search.module !== module) continue
    const sought = WIDE_CHECKS.includes(search)
      ? new Map([...open].filter(([number, mutant]) => isOpen(number, mutant)))
      : open
    const { breaks, states } = await searchEach(search, sought)
    if (states.get(0) !== search.states)
      throw new Error(
        `${module}, ${search.what}: ${states.get(0)} states, and not ${search.states}`,
      )
    for (const [number, { lacks }] of sought) {
      const promise = breaks.get(number)
      if (states.get(number) !== search.states) changed.get(number)?.push(search.what)
      if (promise === undefined) continue
      found.set(lacks, `breaks ${promise}: ${search.what}`)
      open.delete(number)
    }
  }
  for (const [number, { lacks }] of open) {
    const others = changed.get(number) ?? []
    found.set(lacks, others.length === 0 ? SAME : `other states: ${others.join('; ')}`)
  }
  return found
}
