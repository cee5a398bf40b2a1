import type { Effort } from '../effort.ts'
import type { Part } from '../measured.ts'
import { type OpenPeer, withPeers } from '../process/openPeer.ts'
import { alternate, median, medianRatio } from '../statistics.ts'
import type { Database } from '../database/startDatabase.ts'
import { warmUp } from './cpu.ts'

const DATABASE_MS = 4
const PEERS = ['raw', 'powertools', 'batched', 'lineclear'] as const
const SIZES = [10, 100, 1_000] as const

export const wall: Part = {
  name: 'wall',
  title: 'time per batch',
  async measure({ database, effort }) {
    const setups = PEERS.map((peer) => ({ peer }))
    const rows = await withPeers(database, setups, async (peers) => {
      for (const peer of peers) await warmUp(peer, effort, ['unique'])
      const cells: (readonly [number, string, number, number])[] = []
      for (const size of SIZES) {
        const samples = await timesOf(database, peers, size, effort)
        const powertools = samples.get('powertools') ?? []
        for (const [peer, values] of samples) {
          cells.push([size, peer, median(values), medianRatio(values, powertools)])
        }
      }
      return cells
    })
    const ours = rows.filter(([, peer]) => peer === 'lineclear')
    const figures = ours.map(([size, , , ratio]) => [
      `time against Powertools, batch of ${size.toLocaleString('en')}`,
      ratio,
    ])
    const title = 'Time per batch, TLS, 4 ms database'
    return {
      tables: [{ title, head: ['batch', 'peer', 'ms', 'to Powertools'], rows }],
      figures: Object.fromEntries(figures) as Record<string, number>,
    }
  },
}

/** Milliseconds of a batch, round by round. */
export async function timesOf(
  database: Database,
  peers: readonly OpenPeer[],
  size: number,
  { rounds }: Effort,
): Promise<ReadonlyMap<string, readonly number[]>> {
  database.delay = DATABASE_MS
  try {
    const runs = peers.map((peer) => [peer.name, () => timeOf(peer, size)] as const)
    return await alternate(size > 100 ? Math.min(rounds, 3) : rounds, runs)
  } finally {
    database.delay = 0
  }
}

export async function timeOf(peer: OpenPeer, size: number): Promise<number> {
  const batches = size < 100 ? 10 : 1
  const taken = await peer.run({ shape: 'unique', size, batches, payloadBytes: 1_024 })
  return median(taken.wall)
}
