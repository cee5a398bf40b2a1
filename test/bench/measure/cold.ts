import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Readable } from 'node:stream'
import { bundleCold, bundleStartUp } from '../cold/bundles.ts'
import { selfSigned } from '../cold/certificate.ts'
import type { Effort } from '../effort.ts'
import { environmentOf } from '../environment.ts'
import { batchOf } from '../events.ts'
import type { PeerName } from '../peers/index.ts'
import { alternate, median } from '../statistics.ts'
import { startStub, type Stub } from '../stub/server.ts'

/** A fresh process until its first batch of 10 has ended, above a bare one. */
export interface ColdStart {
  readonly peer: PeerName
  readonly milliseconds: number
  readonly cpu: number
  readonly connections: number
  /** To Powertools, in milliseconds. */
  readonly ratio: number
}

/** From loading a peer to having its handler, when the SDK is loaded already. */
export interface StartUp {
  readonly peer: PeerName
  readonly milliseconds: number
}

const PEERS = ['bare', 'raw', 'powertools', 'lineclear'] as const

/** Over TLS, as in production: a handshake is a good part of a first call. */
export async function measureCold(effort: Effort): Promise<readonly ColdStart[]> {
  const directory = await mkdtemp(join(tmpdir(), 'lineclear-cold-'))
  const certificate = selfSigned(Date.now())
  const stub = await startStub(certificate)
  try {
    const [trusted, event] = [join(directory, 'ca.pem'), join(directory, 'event.json')]
    await writeFile(trusted, certificate.cert)
    const environment = { ...environmentOf(stub), NODE_EXTRA_CA_CERTS: trusted }
    const seen = new Map(PEERS.map((peer) => [peer, { cpu: [] as number[], connections: 0 }]))
    const runs = PEERS.map(async (peer): Promise<[PeerName, () => Promise<number>]> => {
      const bundle = await bundleCold(peer, directory)
      return [peer, () => startOnce(peer, bundle)]
    })
    const startOnce = async (peer: (typeof PEERS)[number], bundle: string): Promise<number> => {
      await writeFile(event, JSON.stringify(batchOf('unique', 10, 1_024).event))
      stub.reset()
      const { wall, cpu, executions } = await start([bundle, event], environment)
      if (executions !== 10) throw new Error(`${peer} ran ${executions} of 10 records`)
      seen.get(peer)?.cpu.push(cpu ?? Number.NaN)
      seen.set(peer, { cpu: seen.get(peer)?.cpu ?? [], connections: stub.counts().connections })
      return wall
    }
    const walls = await alternate(effort.starts, await Promise.all(runs))
    return compare(walls, seen)
  } finally {
    await stub.stop()
    await rm(directory, { recursive: true })
  }
}

function compare(
  walls: ReadonlyMap<PeerName, readonly number[]>,
  seen: ReadonlyMap<PeerName, { readonly cpu: readonly number[]; readonly connections: number }>,
): readonly ColdStart[] {
  const wallOf = (peer: PeerName): number => median(walls.get(peer) ?? [])
  const cpuOf = (peer: PeerName): number => median(seen.get(peer)?.cpu ?? [])
  return PEERS.filter((peer) => peer !== 'bare').map((peer) => ({
    peer,
    milliseconds: wallOf(peer) - wallOf('bare'),
    cpu: cpuOf(peer) - cpuOf('bare'),
    connections: seen.get(peer)?.connections ?? 0,
    ratio: (wallOf(peer) - wallOf('bare')) / (wallOf('powertools') - wallOf('bare')),
  }))
}

export async function measureStartUp(stub: Stub, effort: Effort): Promise<readonly StartUp[]> {
  const directory = await mkdtemp(join(tmpdir(), 'lineclear-start-'))
  try {
    const peers = ['powertools', 'lineclear'] as const
    const runs = peers.map(async (peer): Promise<[PeerName, () => Promise<number>]> => {
      const own = join(directory, peer)
      await mkdir(own)
      const bundle = await bundleStartUp(peer, own)
      return [peer, async () => (await start([bundle], environmentOf(stub))).wall]
    })
    const samples = await alternate(effort.starts, await Promise.all(runs))
    return peers.map((peer) => ({ peer, milliseconds: median(samples.get(peer) ?? []) }))
  } finally {
    await rm(directory, { recursive: true })
  }
}

interface Report {
  readonly wall: number
  readonly cpu?: number
  readonly executions?: number
}

async function start(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Report> {
  const child = spawn(process.execPath, args, {
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  })
  const [report] = await Promise.all([text(child.stdio[3] as Readable), once(child, 'exit')])
  return JSON.parse(report)
}
