import { randomInt } from 'node:crypto'
import { jsonLogger } from 'lineclear'
import { auditText } from './audit.ts'
import { readArguments, type Arguments } from './arguments.ts'
import { makeUpCallbacks } from './callbacks.ts'
import { type Keep, runDemo } from './demo.ts'
import { HELP } from './help.ts'
import { intro } from './intro.ts'
import { keepUp, lookInside, openLog } from './keepUp.ts'
import { progressOn } from './progress.ts'
import { readInput, type Input } from './readInput.ts'
import { summary } from './summary.ts'
import { table } from './table.ts'
import { UsageError } from './usageError.ts'
import { isSound, repeat, verdict } from './verdict.ts'

const { stdout, stderr } = process
const stop = new AbortController()
process.once('SIGINT', () => stop.abort())
process.once('SIGTERM', () => stop.abort())
// The reader went away, as `head` does.
stdout.on('error', () => stop.abort())

try {
  process.exitCode = await run(readArguments(process.argv.slice(2), randomInt(1_000_000)))
} catch (error) {
  if (stop.signal.aborted) process.exit(130)
  if (!(error instanceof UsageError)) throw error
  stderr.write(`${error.message}\nAll options: npm run demo -- --help\n`)
  process.exitCode = 2
}

/** @returns the exit code */
async function run(asked: Arguments): Promise<number> {
  if (asked.help) {
    stdout.write(HELP)
    return 0
  }
  const { bodies, problems } = await callbacksFor(asked)
  for (const problem of problems) stderr.write(`--input ${asked.input}, ${problem}\n`)
  stdout.write(intro(bodies.length, asked.faults, asked.seed))
  const plan = { ...asked, bodies, logger: loggerFor(asked) }
  const tell: Keep = async (cloud, results) => {
    stdout.write(
      `${table(results, stdout)}\n${verdict(results)}${auditText(results)}${repeat(asked)}${lookInside(asked)}`,
    )
    if (asked.json) stdout.write(`${summary(asked.seed, problems.length, results)}\n`)
    if (asked.keep) await keepUp(cloud, stop.signal)
  }
  const results = await runDemo(plan, progressOn(stdout, asked.verbose), stop.signal, tell)
  const { books, audit } = results.lineclear
  return isSound(books) && audit.verdict !== 'anomalies' ? 0 : 1
}

async function callbacksFor({ input, messages, seed }: Arguments): Promise<Input> {
  if (input !== undefined) return readInput(input)
  return { bodies: makeUpCallbacks(messages, seed), problems: [] }
}

/** The faults make the functions log errors all the time: they are printed on request only. */
function loggerFor(asked: Arguments): ReturnType<typeof jsonLogger> {
  const log = openLog(asked)
  return jsonLogger('INFO', (line) => {
    log(line)
    if (asked.verbose) stderr.write(`${line}\n`)
  })
}
