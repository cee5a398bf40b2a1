import type { Effort } from '../effort.ts'
import { withPeers } from '../openPeer.ts'
import { alternate, median, medianRatio } from '../statistics.ts'
import type { Stub } from '../stub/server.ts'
import { cpuPerRecord, warmUp } from './cpu.ts'

/** How the cost of a peer grows with batch and payload size. */
export interface Growth {
  readonly peer: string
  readonly small: number
  readonly large: number
  readonly ratio: number
}

/** CPU per record in a batch of 10,000 against batches of 100, microseconds. */
export function measureBatchGrowth(stub: Stub, effort: Effort): Promise<Growth> {
  return withPeers(stub, [{ peer: 'lineclear' }], async (peers) => {
    const [peer] = peers
    if (peer === undefined) throw new Error('no peer was opened')
    await warmUp(peer, effort)
    const samples = await alternate(3, [
      ['small', () => cpuPerRecord(peer, 'unique', 100, 50)],
      ['large', () => cpuPerRecord(peer, 'unique', 10_000, 1)],
    ])
    const [small = [], large = []] = [samples.get('small'), samples.get('large')]
    return {
      peer: peer.name,
      small: median(small),
      large: median(large),
      ratio: medianRatio(large, small),
    }
  })
}

const PEERS = ['bare', 'powertools', 'lineclear'] as const
const KB = 1_024
const SMALL = { payloadBytes: KB, batches: 20 }
const LARGE = { payloadBytes: 256 * KB, batches: 8 }

/** CPU per record above the handler alone, its identity in the payload: at 256 KB against 1 KB, microseconds. */
export function measurePayloadGrowth(stub: Stub, effort: Effort): Promise<readonly Growth[]> {
  const setups = PEERS.map((peer) => ({ peer, identity: 'payload' as const }))
  return withPeers(stub, setups, async (peers) => {
    for (const peer of peers.filter(({ name }) => name !== 'bare')) await warmUp(peer, effort)
    const runs = peers.flatMap((peer) =>
      [SMALL, LARGE].map(({ payloadBytes, batches }): [string, () => Promise<number>] => [
        `${peer.name} ${payloadBytes}`,
        () => cpuPerRecord(peer, 'unique', 10, batches, payloadBytes),
      ]),
    )
    const samples = await alternate(effort.rounds, runs)
    return ['powertools', 'lineclear'].map((peer) => {
      const small = above(samples, peer, SMALL.payloadBytes)
      const large = above(samples, peer, LARGE.payloadBytes)
      return { peer, small, large, ratio: large / small }
    })
  })
}

function above(
  samples: ReadonlyMap<string, readonly number[]>,
  peer: string,
  bytes: number,
): number {
  const bare = samples.get(`bare ${bytes}`) ?? []
  const values = samples.get(`${peer} ${bytes}`) ?? []
  return median(values.map((value, round) => value - (bare[round] ?? Number.NaN)))
}
