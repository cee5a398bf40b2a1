import { TLC } from '../../../referees/engines.ts'
import { install } from '../../../referees/install.ts'
import { CHECKS } from '../checks.ts'
import { check } from './check.ts'
import type { Search } from './config.ts'

/** A search takes seconds; what takes longer than this hangs. */
const LIMIT_MS = 3 * 60_000

await install(TLC, console.log)
process.exitCode = (await runAll(CHECKS)) ? 0 : 1

/** @returns whether all agree */
async function runAll(searches: readonly Search[]): Promise<boolean> {
  let failed = 0
  for (const search of searches) {
    const difference = await check(search, LIMIT_MS)
    if (difference === undefined) continue
    failed += 1
    console.error(`${search.module}, ${search.what}: ${difference}`)
  }
  console.log(`${searches.length - failed} passed, ${failed} failed`)
  return failed === 0
}
