import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { systemClock } from '../../../../src/library/base/clock.ts'
import type { LocalEndpoints } from '../../../../src/tools/cli/readLocal.ts'
import { runCli } from '../../../../src/tools/cli/runCli.ts'
import type { Served } from './tab.ts'

export interface ConsoleOfTest extends Served {
  /** As Ctrl-C does. */
  stop(): Promise<void>
}

/** `lineclear console --local --allow-changes` in this process, typed in the folder of a local cloud. */
export function consoleAt(place: string): Promise<ConsoleOfTest> {
  return serve(place, ['console', '--local', '--allow-changes'])
}

/** `lineclear dev FILE`, in a folder of its own. */
export function devOf(file: string): Promise<ConsoleOfTest> {
  return inOwnFolder((place) => serve(place, ['dev', file]))
}

/** The same on these engines. */
export function consoleOn(endpoints: LocalEndpoints): Promise<ConsoleOfTest> {
  return inOwnFolder((place) => {
    mkdirSync(join(place, '.lineclear'))
    writeFileSync(join(place, '.lineclear/local.json'), JSON.stringify(endpoints))
    return consoleAt(place)
  })
}

async function inOwnFolder(
  start: (place: string) => Promise<ConsoleOfTest>,
): Promise<ConsoleOfTest> {
  const place = mkdtempSync(join(tmpdir(), 'lineclear-browser-'))
  const { stop, ...served } = await start(place)
  return {
    ...served,
    stop: async () => {
      await stop()
      rmSync(place, { recursive: true })
    },
  }
}

async function serve(place: string, args: readonly string[]): Promise<ConsoleOfTest> {
  const stop = new AbortController()
  const printed = Promise.withResolvers<string>()
  const exit = runCli(['--by', 'ann', ...args], {
    out: (line) => {
      const [url] = /http:\S+#token=\S+/.exec(line) ?? []
      if (url !== undefined) printed.resolve(url)
    },
    err: (line) => printed.reject(new Error(line)),
    terminal: { write: () => {} },
    stdin: Readable.from([]),
    width: undefined,
    env: {},
    cwd: place,
    clock: systemClock,
    user: () => 'ann',
    version: () => '1.2.3',
    interrupt: stop.signal,
  })
  const { origin, hash } = new URL(await printed.promise)
  return {
    origin,
    token: new URLSearchParams(hash.slice(1)).get('token') ?? '',
    stop: async () => {
      stop.abort()
      await exit
    },
  }
}
