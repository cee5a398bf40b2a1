import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import { serveConsole } from '../console/serve.ts'
import type { Session } from '../console/session.ts'
import type { CliCommand, Io } from './command.ts'
import { untilInterrupted } from './interrupt.ts'
import { openInBrowser } from './openInBrowser.ts'
import { positionals, readArgs } from './readArgs.ts'
import { UsageError } from './usageError.ts'

export const console: CliCommand = {
  name: 'console',
  summary: 'the commands as pages in your browser, served from this machine to this machine',
  usage: `lineclear console [--port N] [--open] [--allow-changes] [--queues PREFIX]

  Prints one URL, which holds a token: whoever has it can read what you can. Serves until Ctrl-C. It reads only what a page asks
  for, with your credentials; each page says what it has cost, and which command it has run.

  --port N          default: a free one
  --open            open the URL in the browser
  --allow-changes   also plans and applies changes; without it the console has no way to change anything
  --queues PREFIX   look only at dead-letter queues whose names begin with it`,
  run: async (args, io) => {
    const { values, positionals: given } = readArgs(args, OPTIONS)
    positionals(given, [])
    const port = readPort(values.port)
    const canChange = values['allow-changes'] === true
    const running = await serveConsole({
      again: io.again,
      session: sessionOf(io, canChange),
      clock: io.clock,
      port,
      queues: values.queues,
    }).catch((error: unknown) => {
      throw isTaken(error) ? new UsageError(`--port: ${port} is in use`) : error
    })
    try {
      io.out(`The console: ${running.url}`)
      io.out('Ctrl-C ends it.')
      if (values.open === true) openInBrowser(running.url)
      await untilInterrupted(io.interrupt, async (signal) => aborted(signal))
    } finally {
      await running.stop()
    }
    return 0
  },
}

const OPTIONS = {
  port: { type: 'string' },
  open: { type: 'boolean' },
  'allow-changes': { type: 'boolean' },
  queues: { type: 'string' },
} as const

function readPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (port > 0 && port < 65_536) return port
  throw new UsageError(`--port: expected a number from 1 to 65535, got ${JSON.stringify(text)}`)
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
}

/** The account is asked for once: its number stands in the ARN of the table. */
function sessionOf(io: Io, canChange: boolean): () => Promise<Session> {
  let place: Promise<Pick<Session, 'account' | 'region'>> | undefined
  return async () => {
    const { local, table, change } = io
    place ??= placeOf(io)
    const shared = { table, local, canChange, dev: false, version: io.version(), user: change.by }
    return { ...shared, ...(await place) }
  }
}

async function placeOf(io: Io): Promise<Pick<Session, 'account' | 'region'>> {
  const region =
    io.region ??
    (await io
      .dynamodb()
      .config.region()
      .catch(() => undefined))
  if (io.local) return { region, account: undefined }
  const described = await io
    .dynamodb()
    .send(new DescribeTableCommand({ TableName: io.table }))
    .catch(() => undefined)
  return { region, account: described?.Table?.TableArn?.split(':')[4] }
}
