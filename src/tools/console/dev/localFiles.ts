import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
  writeSync,
  realpathSync,
} from 'node:fs'
import { join } from 'node:path'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { ConfigError } from '../../../library/base/errors.ts'
import { LOCAL_REGION } from '../../../testing/local/description/description.ts'
import type { Endpoints } from '../../../testing/local/sdk/clients.ts'
import { guardRequests } from '../../../testing/local/engines/loopbackGuard.ts'

const FOLDER = '.lineclear'
/** Relative to the working directory, as `lineclear --local` reads it. */
const LOG = `${FOLDER}/dev.log`

/** The files by which `lineclear --local` finds the cloud. */
interface LocalFiles {
  /** A line of a function: why copies were dropped, which no table keeps. */
  log(line: string): void
  tell(what: Partial<Told>): void
  remove(): void
}

interface Told extends Endpoints {
  readonly table: string
  readonly lambda: string
  /** URL of the console, with its token. */
  readonly url: string
}

/** @throws ConfigError when another local cloud is up in this folder; nothing of it is touched */
export async function openLocalFiles(cwd: string): Promise<LocalFiles> {
  const folder = join(cwd, FOLDER)
  const cloudFile = join(folder, 'local.json')
  const release = await lockFolder(cwd, () => undefined)
  if (release === undefined) throw new ConfigError(takenBy(cloudFile))
  mkdirSync(folder, { recursive: true })
  // A file that a killed dev has left would keep its mode, and others could read it. Handlers log what they like, and a URL has a token.
  for (const file of [cloudFile, join(cwd, LOG)]) rmSync(file, { force: true })
  let told: object = { pid: process.pid, region: LOCAL_REGION, log: LOG }
  const log = openSync(join(cwd, LOG), 'wx', 0o600)
  return {
    log: (line) => void writeSync(log, `${line}\n`),
    tell: (what) => {
      told = { ...told, ...what }
      writeFileSync(cloudFile, `${JSON.stringify(told, undefined, 2)}\n`, { mode: 0o600 })
    },
    remove: () => {
      closeSync(log)
      for (const file of [cloudFile, join(cwd, LOG)]) rmSync(file, { force: true })
      if (readdirSync(folder).length === 0) rmdirSync(folder)
      release()
    },
  }
}

function takenBy(cloudFile: string): string {
  const who = holderIn(cloudFile)
  return `another lineclear dev, or a demo, is up in this folder${who}: end it first, or start this one in another folder.`
}

/** Process and URL of the holder. '': it has not written them yet. */
function holderIn(cloudFile: string): string {
  try {
    const { pid, url } = JSON.parse(readFileSync(cloudFile, 'utf8')) as Record<string, unknown>
    const known = [
      ...(typeof pid === 'number' ? [`process ${pid}`] : []),
      ...(typeof url === 'string' ? [url] : []),
    ]
    return known.length === 0 ? '' : ` (${known.join(', ')})`
  } catch {
    return ''
  }
}

/** What holds the lock answers this: another program on its port does not. */
function nameOf(folder: string): string {
  return `lineclear cloud in ${realpathSync(folder)}`
}

const FIRST_PORT = 20_000
/** Below those that systems give out by themselves. */
const PORTS = 12_000
const TRIES = 8

/** Where its holder listens: on the first, or on the next if another program has that one. */
export function portsOf(folder: string): readonly number[] {
  const hash = createHash('sha256').update(nameOf(folder)).digest().readUInt32BE(0)
  return Array.from({ length: TRIES }, (_, nth) => FIRST_PORT + ((hash + nth) % PORTS))
}

/** How long to wait for a holder that does not answer because Ctrl-Z has stopped it, milliseconds. */
const PATIENCE_MS = 5_000

/**
 * Locks a folder for this process: two local clouds in one would overwrite each other's `.lineclear/local.json`. The lock is a
 * port of this machine that follows from the folder: of two that start at once one gets it, and after kill -9 it is free.
 * @param answer to what `askHolder` sends; undefined: it is not known
 * @returns releases it. undefined: another process holds it
 */
export async function lockFolder(
  folder: string,
  answer: (path: string) => string | undefined,
): Promise<(() => void) | undefined> {
  const name = nameOf(folder)
  const ports = portsOf(folder)
  const server = createServer(({ url = '/' }, response) => {
    const text = url === '/' ? name : answer(url)
    response.writeHead(text === undefined ? 404 : 200, { connection: 'close' }).end(text)
  })
  guardRequests(server)
  for (const port of ports) {
    const holder = (await isListening(server, port)) ? 'us' : await holderOf(port, name)
    if (holder === 'us') return () => void server.close()
    if (holder === 'another holder') return undefined
  }
  throw new Error(`another program listens on each of the ports ${ports.join(', ')}`)
}

/** @returns what the holder of a folder answers. undefined: there is none, or it does not know the path */
export async function askHolder(folder: string, path: string): Promise<string | undefined> {
  const name = nameOf(folder)
  for (const port of portsOf(folder)) {
    if ((await holderOf(port, name)) !== 'another holder') continue
    const response = await get(port, path).catch(() => undefined)
    return response?.ok ? response.text() : undefined
  }
  return undefined
}

async function isListening(server: Server, port: number): Promise<boolean> {
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false
    throw error
  }
}

async function holderOf(port: number, name: string): Promise<'another holder' | 'another program'> {
  try {
    const response = await get(port, '/')
    return (await response.text()) === name ? 'another holder' : 'another program'
  } catch (error) {
    // It has taken the connection, and is silent: a holder that is stopped by Ctrl-Z.
    return error instanceof DOMException ? 'another holder' : 'another program'
  }
}

function get(port: number, path: string): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(PATIENCE_MS) })
}
