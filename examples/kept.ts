import {
  type LocalCloud,
  type LocalEvent,
  observeLocalClouds,
  observeOutput,
} from 'lineclear/local'
import { silenceDead } from '../src/testing/local/observe/observeOutput.ts'
import type { Example } from './catalogue.ts'
import { openConsole } from './demo/console.ts'
import { keepUp } from './demo/keepUp.ts'
import { takePlace } from './demo/place/place.ts'
import { TAKEN } from './demo/place/texts.ts'
import type { Keep } from './keep.ts'
import { rowsOf } from './rows.ts'

const { stdout, stderr } = process

/**
 * Runs an example, and keeps its cloud up until Ctrl-C.
 * @param onOutput called once, with what collects the lines that the functions log
 * @param asked whether the console is served beside it
 * @returns the exit code
 */
export async function runKept(
  { count, run }: Example,
  onOutput: (log: (line: string) => void) => void,
  asked: { readonly console: boolean },
): Promise<number> {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => stop.abort())
  // The reader went away, as `head` does.
  stdout.on('error', () => stop.abort())
  const stopped = new Promise((resolve) => stop.signal.addEventListener('abort', resolve))
  using place = await takePlace()
  if (place === undefined) {
    stderr.write(TAKEN)
    return 1
  }
  // The first line of an attempt is one for debugging, and a killed attempt leaves no other.
  process.env['AWS_LAMBDA_LOG_LEVEL'] ??= 'DEBUG'
  onOutput(place.log)
  observeOutput()
  silenceDead()
  const seen: LocalEvent[] = []
  const stopSeeing = observeLocalClouds((event) => void seen.push(event))
  let isUp = false
  const keep: Keep = async (cloud) => {
    const hint = lookInside(await oneRequestOf(cloud))
    isUp = true
    stopSeeing()
    const found = { ...cloud.endpoints, table: TABLE }
    const say = (text: string): void => void stdout.write(text)
    if (asked.console) await openConsole(found, stop.signal, say, seen)
    await keepUp(found, stop.signal, () => say(hint))
  }
  const running = run(count, console.log, keep)
  await Promise.race([running, stopped])
  if (!isUp) return 130
  return exitCodeOf(await running)
}

/** An example that finds its own books wrong has failed. */
export function exitCodeOf(isRight: boolean): number {
  if (!isRight)
    stderr.write('The books of this example are wrong: the last line says by how much.\n')
  return isRight ? 0 : 1
}

/** The table of every example. */
const TABLE = 'lineclear'

/** As commands name it: an id that is seen in the log, such as `order-1`, would be looked up there only. */
async function oneRequestOf(cloud: LocalCloud): Promise<string> {
  const keys = (await rowsOf(cloud, TABLE)).map(({ pk }) => String(pk)).toSorted()
  const key = keys.find((each) => /^(lock|flow)#/.test(each)) ?? keys[0] ?? ''
  return key.replace(/^\w+#/, '')
}

function lookInside(id: string): string {
  return `
The local cloud stays up until Ctrl-C. In another terminal:

  npm run -s lineclear -- --local explain ${shellWord(id)}
                                                   all that is known of this request
  npm run -s lineclear -- --local ls               what runs, waits or is stuck
  npm run -s lineclear -- --local stats            how much of it there is
  npm run -s lineclear -- help                     everything else
`
}

function shellWord(id: string): string {
  return /^[\w@%+=:,./-]+$/.test(id) ? id : `'${id.replaceAll("'", `'\\''`)}'`
}
