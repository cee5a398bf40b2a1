import type { Part } from '../measured.ts'
import { withPeers } from '../process/openPeer.ts'
import { alternate, median } from '../statistics.ts'
import { warmUp } from './cpu.ts'
import { timeOf } from './wall.ts'

const DATABASE_MS = 4
const SETUPS = [
  { peer: 'bare' },
  { peer: 'raw', label: 'by hand' },
  { peer: 'lineclear' },
  { peer: 'stock', label: 'lineclear, ctx.write' },
] as const

/** What a message that comes alone waits longer than under a bare handler. */
export const latency: Part = {
  name: 'latency',
  title: 'time added to a record',
  async measure({ database, effort }) {
    const samples = await withPeers(database, SETUPS, async (peers) => {
      for (const peer of peers) await warmUp(peer, effort, ['unique'])
      database.delay = DATABASE_MS
      try {
        const runs = peers.map((peer) => [peer.name, () => timeOf(peer, 1)] as const)
        return await alternate(10 * effort.rounds, runs)
      } finally {
        database.delay = 0
      }
    })
    const bare = median(samples.get('bare') ?? [])
    const rows = [...samples].map(([peer, values]) => [peer, median(values), median(values) - bare])
    const title = 'Time of one record, batch of 1, p50, TLS, 4 ms database'
    return { tables: [{ title, head: ['peer', 'ms', 'above bare, ms'], rows }], figures: {} }
  },
}
