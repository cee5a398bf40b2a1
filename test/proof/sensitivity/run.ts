import { parseArgs } from 'node:util'
import { choose } from './choose.ts'
import { judge, type Judged, lineOf } from './judge.ts'
import { PROTECTIONS } from './protection.ts'
import { runTests } from './runTests.ts'

/**
 * `npm run sensitivity`, or a part: `-- --sample 15 --seed TEXT`, `-- --only claim/token`. With `--near` only the tests of its room
 * may notice that a protection is off: while you write one.
 */
const { values } = parseArgs({
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: new Date().toISOString().slice(0, 10) },
    only: { type: 'string', default: '' },
    near: { type: 'boolean', default: false },
    concurrency: { type: 'string', default: '2' },
  },
})
const chosen = choose(PROTECTIONS, values)
const waiting = [...chosen]
const judged: Judged[] = []

async function work(): Promise<void> {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const one = await judge(next, values.near)
    judged.push(one)
    console.log(lineOf(one))
  }
}
await Promise.all(Array.from({ length: Number(values.concurrency) }, work))

/** A test that fails anyway notices nothing. */
async function passAnyway(): Promise<boolean> {
  const files = [...new Set(judged.flatMap(({ by }) => (by?.file ? [by.file] : [])))]
  if (files.length === 0) return true
  const end = await runTests({ tests: files, off: undefined, limit: 1_200_000 })
  if (end.kind === 'failed') {
    console.log(`with all protections on, this fails: ${end.file} > ${end.test}`)
  }
  return end.kind === 'passed'
}
const sound = await passAnyway()
const failed = judged.filter(({ passed }) => !passed).length
console.log(`${judged.length - failed} passed, ${failed + (sound ? 0 : 1)} failed`)
process.exitCode = failed === 0 && sound && judged.length > 0 ? 0 : 1
