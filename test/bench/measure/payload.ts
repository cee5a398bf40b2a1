import type { Part } from '../measured.ts'
import { withPeers } from '../process/openPeer.ts'
import { alternate, median } from '../statistics.ts'
import { cpuPerRecord, warmUp } from './cpu.ts'

const PEERS = ['bare', 'powertools', 'lineclear'] as const
const KB = 1_024
const SMALL = { payloadBytes: KB, batches: 20 }
const LARGE = { payloadBytes: 256 * KB, batches: 8 }

/** CPU above the handler alone, when the identity is in the payload: how often a peer reads it. */
export const payload: Part = {
  name: 'payload',
  title: 'payload size',
  async measure({ database, effort }) {
    const setups = PEERS.map((peer) => ({ peer, identity: 'payload' as const }))
    const samples = await withPeers(database, setups, async (peers) => {
      for (const peer of peers.filter(({ name }) => name !== 'bare')) {
        await warmUp(peer, effort, ['unique'])
      }
      const runs = peers.flatMap((peer) =>
        [SMALL, LARGE].map(({ payloadBytes, batches }): [string, () => Promise<number>] => [
          `${peer.name} ${payloadBytes}`,
          () => cpuPerRecord(peer, 'unique', 10, batches, payloadBytes),
        ]),
      )
      return alternate(effort.rounds, runs)
    })
    const rows = (['powertools', 'lineclear'] as const).map((peer) => {
      const small = above(samples, peer, SMALL.payloadBytes)
      const large = above(samples, peer, LARGE.payloadBytes)
      return [peer, small, large, large / small]
    })
    const title = 'CPU per record above the handler, identity in the payload, batch of 10, TLS'
    return {
      tables: [{ title, head: ['peer', '1 KB, µs', '256 KB, µs', 'ratio'], rows }],
      figures: {},
    }
  },
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
