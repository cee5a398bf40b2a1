import {
  request as httpRequest,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { systemClock } from '../../../src/library/base/clock.ts'
import { COMMANDS } from '../../../src/tools/cli/commands.ts'
import type { Again } from '../../../src/tools/console/reply.ts'
import { type ConsoleOptions, serveConsole } from '../../../src/tools/console/serve.ts'

/** A command that has found nothing, and cost nothing. */
export const nothingFound: Again = async (args) => ({
  exit: 0,
  line: ['lineclear', ...args].join(' '),
  answer: { version: 1, command: args[0], at: new Date(0).toISOString(), args },
  cost: { queries: 0, units: 0, receives: 0 },
})

const SESSION = {
  local: true,
  table: 'lineclear',
  region: undefined,
  account: undefined,
  canChange: true,
  dev: false,
  live: false,
  version: '1.2.3',
  user: 'ann',
} as const

/** A console without a table: commands are answered by `again`. */
export async function served(options: Partial<ConsoleOptions> = {}) {
  const console = await serveConsole({
    commands: COMMANDS,
    again: nothingFound,
    session: async () => SESSION,
    clock: systemClock,
    canChange: true,
    ...options,
  })
  const { port, hash } = new URL(console.url)
  const token = new URLSearchParams(hash.slice(1)).get('token') ?? ''
  return {
    port: Number(port),
    token,
    stop: async () => console.stop(),
    [Symbol.asyncDispose]: async () => console.stop(),
    /** With the headers of the page, unless others are given; `undefined` leaves one out. */
    ask: async (
      path: string,
      { method = 'GET', headers = {}, body }: Asked = {},
    ): Promise<Answered> => {
      const own = { host: `127.0.0.1:${port}`, 'x-lineclear-token': token }
      const { promise, resolve, reject } = Promise.withResolvers<Answered>()
      const sent = httpRequest(
        {
          host: '127.0.0.1',
          port,
          path,
          method,
          headers: Object.fromEntries(
            Object.entries({ ...own, ...headers }).filter(([, value]) => value !== undefined),
          ) as OutgoingHttpHeaders,
        },
        (response) => {
          const { statusCode: status = 0, headers: answered } = response
          text(response).then((read) => resolve({ status, headers: answered, text: read }), reject)
        },
      )
      sent.on('error', reject)
      sent.end(body)
      return promise
    },
    /** Sends bytes as they are. @returns what came until the server closed the connection */
    raw: async (bytes: string): Promise<string> => {
      const socket = connect(Number(port), '127.0.0.1')
      socket.write(bytes)
      return text(socket)
    },
  }
}

export type Served = Awaited<ReturnType<typeof served>>

interface Asked {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly body?: string
}

interface Answered {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** The JSON of a body that the page sends. */
export function posted(value: unknown): Asked {
  const body = JSON.stringify(value)
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body }
}

export function jsonOf({
  text: body,
}: {
  readonly text: string
}): Readonly<Record<string, unknown>> {
  return JSON.parse(body) as Readonly<Record<string, unknown>>
}
