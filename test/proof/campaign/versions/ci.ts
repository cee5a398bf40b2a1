import { resolve } from 'node:path'
import { exit, stdout } from 'node:process'
import { runInLanes } from '../lanes.ts'
import { unpackEarlier } from './earlier.ts'
import { compareFormats } from './formats.ts'

/** `npm run campaign:versions`: the first version of format 1 and this one on one table and the same queues, the longest run first. */
const RUNS = [
  ['examples', 12],
  ['orders', 80],
  ['newest-supersede', 60],
  ['every-defer', 60],
  ['calls', 50],
  ['newest-coalesce', 40],
  ['newest-defer', 40],
  ['newest-drop', 40],
] as const
const SEED = '11'

unpackEarlier()
const began = Date.now()
const formats = await compareFormats()
stdout.write(`formats: ${formats.length === 0 ? 'both ways' : `WRONG: ${formats.join()}`}\n`)
const wrongRuns = await runInLanes(
  resolve(import.meta.dirname, 'run.ts'),
  RUNS.map(([run, count]) => ['--run', run, '--requests', `${count}`, '--seed', SEED]),
)
const wrong = wrongRuns + formats.length
const seconds = Math.round((Date.now() - began) / 1_000)
const requests = RUNS.reduce((sum, [, count]) => sum + count, 0)
stdout.write(`${requests} requests in ${seconds} s, ${wrong} of ${RUNS.length} runs wrong\n`)
exit(wrong === 0 ? 0 : 1)
