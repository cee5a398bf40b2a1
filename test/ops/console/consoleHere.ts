import { Readable } from 'node:stream'
import { runCli } from '../../../src/ops/cli/runCli.ts'
import type { OperatorHarness } from '../cli/operatorHarness.ts'
import type { LocalCloud } from 'lineclear/local'

/** `lineclear console` in this process, until it is stopped. */
export async function consoleHere(
  { clock, tableName }: Pick<OperatorHarness, 'clock' | 'tableName'>,
  { dynamodb, sqs }: LocalCloud,
  ...args: readonly string[]
) {
  const stop = new AbortController()
  const printed = Promise.withResolvers<string>()
  const exit = runCli(['console', '--table', tableName, '--by', 'ann', ...args], {
    out: (line) => printed.resolve(/http:\S+/.exec(line)?.[0] ?? ''),
    err: (line) => printed.reject(new Error(line)),
    terminal: { write: () => {} },
    stdin: Readable.from([]),
    width: undefined,
    env: {},
    cwd: '/nowhere',
    clock,
    user: () => 'operator',
    version: () => '1.2.3',
    interrupt: stop.signal,
    dynamodb,
    sqs,
  })
  const url = new URL(await printed.promise)
  const token = new URLSearchParams(url.hash.slice(1)).get('token') ?? ''
  return {
    origin: url.origin,
    token,
    /** The JSON of a route. */
    get: async (path: string) => {
      const response = await fetch(`${url.origin}/api/${path}`, {
        headers: { 'x-lineclear-token': token },
      })
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
