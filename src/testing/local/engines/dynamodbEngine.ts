import { spawn, type ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { createServer } from 'node:net'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { systemClock } from '../../../base/clock.ts'
import { ConfigError } from '../../../base/errors.ts'
import type { Logger } from '../../../base/logger.ts'
import { startInProcess } from './inProcessEngine.ts'

interface DynamodbEngine {
  readonly endpoint: string
  stop(): Promise<void>
}

const PORT_TRIES = 5
const READY_WITHIN_MS = 10_000

/**
 * The engine at LINECLEAR_DYNAMODB_ENDPOINT, which is neither emptied nor stopped, or an empty one of our own: dynoxide, or where it is
 * not installed the one in TypeScript.
 */
export async function startDynamodb(logger: Logger): Promise<DynamodbEngine> {
  const running = process.env['LINECLEAR_DYNAMODB_ENDPOINT']
  if (running) return { endpoint: running, stop: () => Promise.resolve() }
  const binary = findDynoxide()
  if (binary === undefined) return startInProcess()
  let said = ''
  for (let tries = 0; tries < PORT_TRIES; tries++) {
    const host = engineHost()
    const [port, own] = [await freePort('127.0.0.1'), String(await freePort(host))]
    const engine = [binary, 'serve', '--host', host, '--port', own]
    const child = spawnKilledWithParent([String(port), host, own, ...engine])
    const ended = endOf(child)
    const outcome = await Promise.race([isListening(port), ended])
    if (outcome === 'listening') return engineOf(child, port, ended, logger)
    await stopChild(child, ended)
    said = outcome
  }
  throw new ConfigError(`startLocalCloud: dynoxide did not start (${binary}). It said: ${said}`)
}

function engineOf(
  child: ChildProcess,
  port: number,
  ended: Promise<string>,
  logger: Logger,
): DynamodbEngine {
  let stopping = false
  void ended.then((said) => {
    if (stopping) return
    logger.error('The local DynamoDB engine ended by itself. Its data are gone.', { said })
  })
  return {
    endpoint: `http://127.0.0.1:${port}`,
    stop: () => {
      stopping = true
      return stopChild(child, ended)
    },
  }
}

/**
 * dynoxide answers every web page, so it stands where no page finds it, behind a guard at 127.0.0.1: one of the 16 million loopback
 * addresses of Linux and Windows. Other systems have one, and there its port is all that a page has to guess.
 */
function engineHost(): string {
  const hasMany = process.platform === 'linux' || process.platform === 'win32'
  return hasMany ? ['127', ...[1, 2, 3].map(() => randomInt(1, 255))].join('.') : '127.0.0.1'
}

/** In a session of its own, so that after Ctrl-C the program can finish its work before the engine ends. */
function spawnKilledWithParent(command: readonly string[]): ChildProcess {
  const { NODE_OPTIONS: _inspector, ...env } = process.env
  return spawn(process.execPath, [supervisor(), ...command], {
    detached: true,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}

/** TypeScript in the repository, JavaScript in the package. */
function supervisor(): string {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return fileURLToPath(new URL(`./engineProcess.${extension}`, import.meta.url))
}

/** Resolves with the end of the process's output. Reads both pipes to their end, because a full pipe would block the engine. */
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

async function stopChild(child: ChildProcess, ended: Promise<string>): Promise<void> {
  child.stdin?.end()
  await ended
}

async function isListening(port: number): Promise<'listening' | 'silent'> {
  const until = Date.now() + READY_WITHIN_MS
  while (Date.now() < until) {
    if (await answers(port)) return 'listening'
    await systemClock.sleep(10)
  }
  return 'silent'
}

async function answers(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST' })
    await response.body?.cancel()
    return response.headers.get('server')?.startsWith('Dynoxide') === true
  } catch {
    return false
  }
}

/** A TCP port of a loopback address that was free a moment ago. Another process may take it first, so the caller must be able to retry. */
function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, host, () => {
      const address = server.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      server.close(() => resolve(port))
    })
  })
}

/**
 * The path of the dynoxide binary; undefined where there is none, or LINECLEAR_LOCAL_ENGINE is `typescript`. The package `dynoxide` brings it as its own dependency `@dynoxide/<platform>-<arch>`, which
 * may also be installed alone. The binary is started directly and not by the package's script, because killing the script would
 * orphan the binary.
 */
export function findDynoxide(): string | undefined {
  if (process.env['LINECLEAR_LOCAL_ENGINE'] === 'typescript') return undefined
  const file = process.platform === 'win32' ? 'dynoxide.exe' : 'dynoxide'
  for (const base of searchBases()) {
    const directory = directoryOf(platformPackage(), base)
    if (directory !== undefined && existsSync(join(directory, file))) return join(directory, file)
  }
  return undefined
}

/** Where to search: from the wrapper package, from this file, and from the program. */
function searchBases(): readonly string[] {
  const own = [import.meta.url, join(process.cwd(), 'package.json')]
  const wrapper = own
    .map((base) => directoryOf('dynoxide', base))
    .find((path) => path !== undefined)
  return wrapper === undefined ? own : [join(wrapper, 'package.json'), ...own]
}

function platformPackage(): string {
  return `@dynoxide/${process.platform}-${process.arch}`
}

function directoryOf(name: string, base: string): string | undefined {
  try {
    return dirname(createRequire(base).resolve(`${name}/package.json`))
  } catch {
    return undefined
  }
}
