import { Stryker } from '@stryker-mutator/core'
import { identify, keyOf } from './mutant.ts'
import type { Tested } from './judge.ts'
import { mutatedIn, type Room } from './rooms.ts'

type Part = 'calls' | 'loading'

/**
 * First what happens in calls: each mutant needs only the tests that reach it. Then what is computed while a module loads,
 * such as tables and patterns: each of these mutants needs fresh modules and all tests of the room.
 */
export async function mutate(room: Room, concurrency: number): Promise<Tested[]> {
  const tested: readonly Tested[] = await run(room, 'calls', mutatedIn(room), concurrency)
  const loading = tested.filter(isOfLoading)
  if (loading.length === 0) return [...tested]
  const keys = new Set(loading.map(keyIn))
  const lines = [...new Set(loading.map(linesOf))]
  const again: readonly Tested[] = await run(room, 'loading', lines, concurrency)
  return [
    ...tested.filter((mutant) => !isOfLoading(mutant)),
    ...again.filter((mutant) => keys.has(keyIn(mutant))),
  ]
}

/** Also code that runs in tests and while they load: a table made by it, before any test begins, is not mutated in calls. */
function isOfLoading({ status, static: loads }: Tested): boolean {
  return status === 'Ignored' || (status === 'Survived' && loads === true)
}

function keyIn(mutant: Tested): string {
  return `${linesOf(mutant)} ${keyOf(identify(mutant))}`
}

function linesOf({ fileName, location }: Tested): string {
  return `${fileName}:${location.start.line}-${location.end.line}`
}

async function run(
  room: Room,
  part: Part,
  source: readonly string[],
  concurrency: number,
): Promise<Tested[]> {
  process.env['MUTATION_ROOM'] = room.name
  const stryker = new Stryker({
    configFile: 'test/proof/mutation/stryker.config.json',
    mutate: [...source],
    ignoreStatic: part === 'calls',
    concurrency,
    reporters: [process.stdout.isTTY ? 'progress' : 'progress-append-only'],
  })
  return stryker.runMutationTest()
}
