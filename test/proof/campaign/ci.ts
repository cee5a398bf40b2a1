import { resolve } from 'node:path'
import { exit, stdout } from 'node:process'
import { runInLanes } from './lanes.ts'

type Mode = '--running-on' | '--whole-batches'
type Run = readonly [policy: string, requests: number, batchSize: number, ...modes: Mode[]]

/** `npm run campaign:ci`: 1,410 requests under every fault, a process for each run, the longest first. */
const RUNS: readonly Run[] = [
  ['examples', 20, 10],
  ['orders', 200, 100],
  ['calls', 150, 10, '--running-on'],
  ['newest-supersede', 40, 10, '--running-on'],
  ['newest-coalesce', 30, 10, '--whole-batches'],
  ['every-defer', 120, 10],
  ['newest-coalesce', 150, 10],
  ['newest-defer', 150, 10],
  ['orders', 150, 10],
  ['newest-drop', 150, 10],
  ['newest-supersede', 100, 100],
  ['newest-supersede', 150, 10],
]
const SEED = '11'

const began = Date.now()
const wrong = await runInLanes(
  resolve(import.meta.dirname, 'run.ts'),
  RUNS.map(([policy, count, batchSize, ...mode]) => {
    const what = ['--policy', policy, '--requests', `${count}`, '--batch', `${batchSize}`]
    return [...what, ...mode, '--from', SEED]
  }),
)
const seconds = Math.round((Date.now() - began) / 1_000)
const requests = RUNS.reduce((sum, [, count]) => sum + count, 0)
stdout.write(`${requests} requests in ${seconds} s, ${wrong} of ${RUNS.length} runs wrong\n`)
exit(wrong === 0 ? 0 : 1)
