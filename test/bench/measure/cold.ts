import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundleCold } from '../cold/bundles.ts'
import { selfSigned } from '../cold/certificate.ts'
import { inTemporaryDirectory, start } from '../cold/start.ts'
import type { Effort } from '../effort.ts'
import { environmentOf } from '../environment.ts'
import { batchOf } from '../events.ts'
import type { PeerName } from '../peers/index.ts'
import { alternate, median, medianRatio } from '../statistics.ts'
import { startStub, type Stub } from '../stub/server.ts'

/** A fresh process until its first batch of 10 has ended, above a bare one. */
export interface ColdStart {
  readonly peer: string
  readonly milliseconds: number
  readonly connections: number
  /** Ratio to Powertools. */
  readonly ratio: number
}

const RECORDS = 10
const PEERS = ['bare', 'raw', 'powertools', 'lineclear'] as const

/** Over TLS, as in production: a handshake is a good part of a first call. */
export async function measureCold(effort: Effort): Promise<readonly ColdStart[]> {
  const certificate = selfSigned(Date.now())
  const stub = await startStub(certificate)
  try {
    return await inTemporaryDirectory(async (directory) => {
      await writeFile(join(directory, 'ca.pem'), certificate.cert)
      return await compare(stub, directory, effort)
    })
  } finally {
    await stub.stop()
  }
}

async function compare(
  stub: Stub,
  directory: string,
  { starts }: Effort,
): Promise<readonly ColdStart[]> {
  const connections = new Map<string, number>()
  const runs: [string, () => Promise<number>][] = []
  for (const peer of PEERS) {
    const bundle = await bundleCold(peer, directory)
    runs.push([
      peer,
      async () => {
        const wall = await startOnce(stub, peer, bundle, directory)
        connections.set(peer, stub.counts().connections)
        return wall
      },
    ])
  }
  const samples = await alternate(starts, runs)
  const above = (peer: string): readonly number[] => {
    const bare = samples.get('bare') ?? []
    return (samples.get(peer) ?? []).map((wall, round) => wall - (bare[round] ?? Number.NaN))
  }
  return PEERS.filter((peer) => peer !== 'bare').map((peer) => ({
    peer,
    milliseconds: median(above(peer)),
    connections: connections.get(peer) ?? Number.NaN,
    ratio: medianRatio(above(peer), above('powertools')),
  }))
}

async function startOnce(
  stub: Stub,
  peer: PeerName,
  bundle: string,
  directory: string,
): Promise<number> {
  const event = join(directory, 'event.json')
  await writeFile(event, JSON.stringify(batchOf('unique', RECORDS, 1_024).event))
  stub.reset()
  const environment = { ...environmentOf(stub), NODE_EXTRA_CA_CERTS: join(directory, 'ca.pem') }
  const { wall = Number.NaN, executions } = await start([bundle, event], environment)
  if (executions !== RECORDS) throw new Error(`${peer} ran ${executions} of ${RECORDS} records`)
  return wall
}
