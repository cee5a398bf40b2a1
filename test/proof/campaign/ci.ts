import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { execPath, exit, stdout } from 'node:process'
import { resolve } from 'node:path'

/** `npm run campaign:ci`: 3,500 requests under every fault, a process for each run, the longest first. */
const RUNS: readonly (readonly [policy: string, requests: number, batchSize: number])[] = [
  ['examples', 150, 10],
  ['orders', 300, 100],
  ['every-defer', 450, 10],
  ['newest-coalesce', 450, 10],
  ['newest-defer', 450, 10],
  ['orders', 600, 10],
  ['newest-drop', 450, 10],
  ['newest-supersede', 200, 100],
  ['newest-supersede', 450, 10],
]
/** On two cores: a run waits for the half of its time. */
const AT_ONCE = 3
const SEED = '11'

const began = Date.now()
const waiting = RUNS.values()
let wrong = 0
await Promise.all(Array.from({ length: AT_ONCE }, lane))
const seconds = Math.round((Date.now() - began) / 1_000)
const requests = RUNS.reduce((sum, [, count]) => sum + count, 0)
stdout.write(`${requests} requests in ${seconds} s, ${wrong} of ${RUNS.length} runs wrong\n`)
exit(wrong === 0 ? 0 : 1)

async function lane(): Promise<void> {
  for (const [policy, count, batchSize] of waiting) {
    const run = resolve(import.meta.dirname, 'run.ts')
    const what = ['--policy', policy, '--requests', `${count}`, '--batch', `${batchSize}`]
    const asked = ['--conditions=lineclear:source', run, ...what, '--from', SEED]
    const child = spawn(execPath, asked, { stdio: ['ignore', 'inherit', 'inherit'] })
    const [code] = (await once(child, 'exit')) as [number | null]
    if (code !== 0) wrong += 1
  }
}
