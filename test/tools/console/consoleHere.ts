import { Readable } from 'node:stream'
import type { LocalCloud } from 'lineclear/local'
import { systemClock } from '../../../src/library/base/clock.ts'
import { runCli } from '../../../src/tools/cli/runCli.ts'
import type { OperatorHarness } from '../cli/operatorHarness.ts'

/** `lineclear console` in this process, on the table and queues of a test, until it is stopped. */
export async function consoleHere(
  {
    clock,
    tableName,
    mappings,
  }: Pick<OperatorHarness, 'clock' | 'tableName'> & Partial<Pick<OperatorHarness, 'mappings'>>,
  { dynamodb, sqs }: LocalCloud,
  ...args: readonly string[]
) {
  return opened(['--table', tableName, ...args], { clock, dynamodb, sqs, mappings })
}

/** `lineclear console --local` in this process, on the local cloud whose folder is given. */
export async function localConsole(cwd: string, ...args: readonly string[]) {
  return opened(['--local', ...args], { cwd })
}

/** `lineclear console` in this process, with these clients, until it is stopped. */
export async function opened(args: readonly string[], more: Partial<Parameters<typeof runCli>[1]>) {
  const stop = new AbortController()
  const printed = Promise.withResolvers<string>()
  const exit = runCli(['console', '--by', 'ann', ...args], {
    out: (line) => printed.resolve(/http:\S+/.exec(line)?.[0] ?? ''),
    err: (line) => printed.reject(new Error(line)),
    terminal: { write: () => {} },
    stdin: Readable.from([]),
    width: undefined,
    env: {},
    cwd: '/nowhere',
    clock: systemClock,
    user: () => 'operator',
    version: () => '1.2.3',
    interrupt: stop.signal,
    ...more,
  })
  const url = new URL(await printed.promise)
  const token = new URLSearchParams(url.hash.slice(1)).get('token') ?? ''
  return {
    origin: url.origin,
    token,
    /** The JSON of a route. */
    get: async (path: string) => {
      const headers = { 'x-lineclear-token': token }
      const response = await fetch(`${url.origin}/api/${path}`, { headers })
      return {
        status: response.status,
        json: (await response.json()) as Readonly<Record<string, unknown>>,
      }
    },
    /** Stops it as Ctrl-C does. @returns the exit code */
    stop: async () => {
      stop.abort()
      return exit
    },
  }
}
