import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../store/dynoxide.ts'
import { MINISTACK } from '../engines.ts'

export interface Ministack {
  readonly endpoint: string
  /** The last lines of the engine's output. */
  said(): Promise<string>
  stop(): Promise<void>
}

export const REGION = 'eu-central-1'
/** Credentials of the account's root: IAM refuses it nothing. */
export const ROOT_KEY = { accessKeyId: 'test', secretAccessKey: 'test' }

const READY_WITHIN_MS = 60_000
const SAID_LENGTH = 20_000

/** The Lambda runtime of the template. The package brings it, whatever Node runs this. */
const SUPERVISOR = resolve(import.meta.dirname, '../killWithParent.ts')
const NODE_FOLDER = resolve(import.meta.dirname, '../../../node_modules/node/bin')

/** An account of its own, with IAM enforced. All that it writes is in one folder, which goes with it. */
export async function startMinistack(): Promise<Ministack> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startAt(await freePort())
    } catch (error) {
      // A port is free until another process or an outgoing connection gets it.
      if (attempt === 5 || !/address already in use/i.test(String(error))) throw error
    }
  }
}

async function startAt(port: number): Promise<Ministack> {
  const folder = await mkdtemp(join(tmpdir(), 'ministack-'))
  const endpoint = `http://127.0.0.1:${port}`
  const log = join(folder, 'log')
  await mkdir(join(folder, 'tmp'))
  // A group of its own, since the engine's sandboxes have to end with it; supervised, since it has to end with this process.
  const child = spawn(process.execPath, [SUPERVISOR, MINISTACK.binary], {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      PATH: [NODE_FOLDER, process.env['PATH']].join(delimiter),
      HOME: folder,
      TMPDIR: join(folder, 'tmp'),
      AUTH: 'true',
      BIND_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      MINISTACK_REGION: REGION,
    },
  })
  const file = createWriteStream(log)
  child.stdout.pipe(file, { end: false })
  child.stderr.pipe(file, { end: false })
  const kill = (): void => killGroup(child)
  process.once('exit', kill)
  const said = async (): Promise<string> => (await readFile(log, 'utf8')).slice(-SAID_LENGTH)
  const stop = async (): Promise<void> => {
    process.off('exit', kill)
    const gone = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : []
    kill()
    await gone
    file.end()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  if (await answers(child, endpoint)) return { endpoint, said, stop }
  const last = await said()
  await stop()
  throw new Error(`ministack did not start within ${READY_WITHIN_MS / 1_000} s. It said:\n${last}`)
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended by itself, and its sandboxes with it.
  }
}

async function answers(child: ChildProcess, endpoint: string): Promise<boolean> {
  const until = Date.now() + READY_WITHIN_MS
  while (Date.now() < until && child.exitCode === null) {
    const ready = await fetch(`${endpoint}/_ministack/health`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (ready) return true
    await sleep(100)
  }
  return false
}
