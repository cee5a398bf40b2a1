import { DescribeTableCommand, type TableDescription } from '@aws-sdk/client-dynamodb'
import { type ConsoleOptions, type RunningConsole, serveConsole } from '../console/serve.ts'
import type { Session } from '../console/reply.ts'
import type { ExitCode, Io } from './command.ts'
import { UsageError } from './usageError.ts'
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

type ServeHereOptions = Omit<
  ConsoleOptions,
  'again' | 'commands' | 'session' | 'clock' | 'tableSize'
> & {
  readonly dev: boolean
}

/** The console on the table and queues of this command. @throws UsageError when the port is taken */
export async function serveHere(
  io: Io,
  { dev, ...given }: ServeHereOptions,
): Promise<RunningConsole> {
  const { again, clock, commands } = io
  const live = given.events !== undefined
  const session = sessionOf(io, { dev, live, canChange: given.canChange })
  return serveConsole({
    ...given,
    again,
    commands,
    clock,
    session,
    tableSize: async () => (await describe(io))?.TableSizeBytes,
  }).catch((error: unknown) => {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    throw isTaken ? new UsageError(`--port: ${given.port} is in use`) : error
  })
}

/** Prints where it is served, and waits until it is to end. */
export async function showUntil(
  signal: AbortSignal,
  url: string,
  open: boolean,
  io: Io,
): Promise<ExitCode> {
  io.out(`The console: ${url}`)
  io.out('Ctrl-C ends it.')
  const removeFile = open ? await openInBrowser(url) : undefined
  if (!signal.aborted) {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  }
  await removeFile?.()
  return 0
}

/** The account is asked for once: the ARN of the table contains its number. */
function sessionOf(
  io: Io,
  given: Pick<Session, 'dev' | 'live' | 'canChange'>,
): () => Promise<Session> {
  let place: Promise<Pick<Session, 'account' | 'region'>> | undefined
  return async () => {
    const { local, table, template, change } = io
    place ??= placeOf(io)
    const about = { local, table, template, version: io.version(), user: change.by }
    return { ...about, ...(await place), ...given }
  }
}

async function placeOf(io: Io): Promise<Pick<Session, 'account' | 'region'>> {
  const region =
    io.region ??
    (await io
      .dynamodb()
      .config.region()
      .catch(() => undefined))
  const table = io.local ? undefined : await describe(io)
  return { region, account: table?.TableArn?.split(':')[4] }
}

/** @returns undefined: it may not be described */
async function describe(io: Io): Promise<TableDescription | undefined> {
  const described = io.dynamodb().send(new DescribeTableCommand({ TableName: io.table }))
  return (await described.catch(() => undefined))?.Table
}

const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  // The first word in quotes would be the title of a window.
  win32: ['cmd', '/c', 'start', '""'],
}

/**
 * Opens the console. Other users of the machine see command lines, so the browser gets the path of a file that only this user may
 * read, and that leads to the URL with its token. Without a browser nothing happens: the URL is printed.
 * @param url as `serveConsole` gives it
 * @returns removes the file
 */
export async function openInBrowser(url: string): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'lineclear-open-'))
  const file = join(folder, 'console.html')
  await writeFile(file, redirectTo(url), { mode: 0o600 })
  const [command, ...args] = OPENERS[process.platform] ?? ['xdg-open']
  const child = spawn(command, [...args, file], {
    stdio: 'ignore',
    detached: true,
  })
  child.on('error', () => {})
  child.unref()
  return () => rm(folder, { recursive: true, force: true })
}

/** `/open` is the only path that the guard lets a page of another origin lead to, as a file is one. */
function redirectTo(url: string): string {
  const opened = new URL(url)
  opened.pathname = '/open'
  return `<!doctype html><meta charset="utf-8"><title>lineclear</title><meta http-equiv="refresh" content="0;url=${opened.href}">\n`
}
