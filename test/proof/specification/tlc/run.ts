import { parseArgs } from 'node:util'
import { TLC } from '../../../referees/engines.ts'
import { install } from '../../../referees/install.ts'
import { CHECKS } from '../checks.ts'
import { check } from './check.ts'
import { checkLeftOut } from './leftOut.ts'

/**
 * `npm run tlc`: TLC searches the modules within the bounds of `checks.ts`. `-- --left-out`: without each of their conditions, and
 * compares with `conditions.json`.
 */
const { values } = parseArgs({ options: { 'left-out': { type: 'boolean', default: false } } })

await install(TLC, console.log)
const [passed, wrong] = values['left-out'] ? await checkLeftOut() : await checkAll()
for (const line of wrong) console.error(`WRONG ${line}`)
console.log(`${passed} passed, ${wrong.length} failed`)
process.exitCode = wrong.length === 0 ? 0 : 1

/** @returns how many agree, and what differs */
async function checkAll(): Promise<readonly [passed: number, wrong: readonly string[]]> {
  const wrong: string[] = []
  for (const search of CHECKS) {
    const difference = await check(search)
    if (difference !== undefined) wrong.push(`${search.module}, ${search.what}: ${difference}`)
  }
  return [CHECKS.length - wrong.length, wrong]
}
