import { randomInt } from 'node:crypto'
import { jsonLogger, type Logger } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import type { Cause } from '../broken/shop.ts'
import { runBroken } from './broken/broken.ts'
import { auditText } from './audit.ts'
import { readArguments, type Arguments } from './arguments.ts'
import { openConsole } from './console.ts'
import { divertLog } from './divertLog.ts'
import { makeUpCallbacks } from './callbacks.ts'
import { type Keep, runDemo } from './demo.ts'
import { HELP } from './help.ts'
import { intro } from './intro.ts'
import { keepUp, type LocalPlace, lookInside } from './keepUp.ts'
import { type Place, repairInPlace, takePlace } from './place/place.ts'
import { NO_SHOP, TAKEN } from './place/texts.ts'
import { progressOn } from './progress.ts'
import { isWrong, lateText } from './late/lateText.ts'
import { readInput, type Input } from './readInput.ts'
import { summary } from './summary.ts'
import { table } from './table.ts'
import { TABLES } from './tables.ts'
import { UsageError } from './usageError.ts'
import { isSound, repeat, verdict } from './verdict.ts'

const { stdout, stderr } = process
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => stop.abort())
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
  if (asked.fix !== undefined) return fix(asked.fix)
  if (!asked.broken && !asked.keep) return runLedgers(asked)
  using place = await takePlace()
  if (place === undefined) {
    stderr.write(TAKEN)
    return 1
  }
  return asked.broken ? await runBrokenShop(asked, place) : await runLedgers(asked, place)
}

async function fix(cause: Cause): Promise<number> {
  if (await repairInPlace(cause)) {
    stdout.write(`The ${cause} is repaired.\n`)
    return 0
  }
  stderr.write(NO_SHOP)
  return 1
}

/** @param place when the cloud is to stay up */
async function runLedgers(asked: Arguments, place?: Place): Promise<number> {
  const { bodies, problems } = await callbacksFor(asked)
  for (const problem of problems) stderr.write(`--input ${asked.input}, ${problem}\n`)
  stdout.write(intro(bodies.length, asked.faults, asked.seed))
  const plan = { ...asked, bodies, logger: loggerFor(asked, 'INFO', place) }
  const tell: Keep = async (cloud, results) => {
    stdout.write(
      [
        `${table(results, stdout)}\n`,
        verdict(results),
        auditText(results),
        lateText(results.late, stdout),
        repeat(asked),
        lookInside(asked),
      ].join(''),
    )
    if (asked.json) stdout.write(`${summary(asked.seed, problems.length, results)}\n`)
    if (place !== undefined)
      await keepUp({ ...cloud.endpoints, table: TABLES.lineclear.tokens }, stop.signal)
  }
  const begin = async ({ endpoints }: LocalCloud): Promise<void> => {
    if (asked.console) await serve({ ...endpoints, table: TABLES.lineclear.tokens })
  }
  const results = await runDemo(plan, progressOn(stdout, asked.verbose), stop.signal, tell, begin)
  const { books, audit } = results.lineclear
  return isSound(books) && !isWrong(results.late) && audit.verdict !== 'anomalies' ? 0 : 1
}

async function runBrokenShop(asked: Arguments, place: Place): Promise<number> {
  const time = asked.seconds && asked.seconds * 1_000
  const logger = loggerFor(asked, 'DEBUG', place)
  const ready = asked.console ? serve : undefined
  await runBroken(place, logger, stop.signal, time, (text) => stdout.write(text), ready)
  return 0
}

async function serve(place: LocalPlace, until: AbortSignal = stop.signal): Promise<void> {
  await openConsole(place, until, (text) => stdout.write(text))
}

async function callbacksFor({ input, messages, seed }: Arguments): Promise<Input> {
  if (input !== undefined) return readInput(input)
  return { bodies: makeUpCallbacks(messages, seed), problems: [] }
}

/** The faults make the functions log errors all the time: they are printed on request only. */
function loggerFor({ verbose }: Arguments, level: 'DEBUG' | 'INFO', place?: Place): Logger {
  divertLog((line) => {
    place?.log(line)
    if (verbose) stderr.write(`${line}\n`)
  })
  return jsonLogger(level)
}
