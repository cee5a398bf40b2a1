import type { Effort } from '../effort.ts'
import { withPeers } from '../openPeer.ts'
import type { PeerName } from '../peers/index.ts'
import { alternate, median, medianRatio } from '../statistics.ts'
import type { Stub } from '../stub/server.ts'
import { cpuPerRecord, warmUp } from './cpu.ts'

/** What a growing batch or payload does to a peer. */
export interface Growth {
  readonly peer: PeerName
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
    const samples = await alternate(Math.min(effort.rounds, 5), [
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

/** CPU per record above the handler alone, its identity in the payload: at 256 KB against 1 KB, microseconds. */
export function measurePayloadGrowth(stub: Stub, effort: Effort): Promise<readonly Growth[]> {
  const setups = PEERS.map((peer) => ({ peer, identity: 'payload' as const }))
  return withPeers(stub, setups, async (peers) => {
    for (const peer of peers.filter(({ name }) => name !== 'bare')) await warmUp(peer, effort)
    const small = await alternate(
      effort.rounds,
      peers.map((peer) => [peer.name, () => cpuPerRecord(peer, 'unique', 10, 20, KB)]),
    )
    const large = await alternate(
      effort.rounds,
      peers.map((peer) => [peer.name, () => cpuPerRecord(peer, 'unique', 10, 10, 256 * KB)]),
    )
    return (['powertools', 'lineclear'] as const).map((peer) => {
      const [before, after] = [small, large].map((samples) => above(samples, peer))
      return { peer, small: before ?? 0, large: after ?? 0, ratio: (after ?? 0) / (before ?? 0) }
    })
  })
}

function above(samples: ReadonlyMap<PeerName, readonly number[]>, peer: PeerName): number {
  const bare = samples.get('bare') ?? []
  return median(
    (samples.get(peer) ?? []).map((value, round) => value - (bare[round] ?? Number.NaN)),
  )
}
