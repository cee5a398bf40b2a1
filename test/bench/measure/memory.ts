import type { Part } from '../measured.ts'
import { withPeers } from '../process/openPeer.ts'
import type { PeerName } from '../peers/index.ts'
import { alternate, median } from '../statistics.ts'
import type { Database } from '../database/startDatabase.ts'

const RECORDS = 10_000
const MB = 1_048_576
const PEERS = ['bare', 'raw', 'powertools', 'lineclear'] as const

/** The peak of a fresh process with one batch, above one that only runs the handlers: the event itself is in both. */
export const memory: Part = {
  name: 'memory',
  title: 'memory',
  async measure({ database, effort }) {
    const runs = PEERS.map((peer) => [peer, () => peakOf(database, peer)] as const)
    const samples = await alternate(effort.samples, runs)
    const peak = (peer: PeerName): number => median(samples.get(peer) ?? [])
    const above = (peer: PeerName): number => peak(peer) - peak('bare')
    const toPowertools = (peer: PeerName): number => above(peer) / above('powertools')
    return {
      tables: [
        {
          title: 'Peak RSS of a fresh process with a batch of 10,000, TLS',
          head: ['peer', 'MB', 'above the handlers alone, MB', 'to Powertools'],
          rows: PEERS.map((peer) => [
            peer,
            peak(peer) / MB,
            above(peer) / MB,
            peer === 'bare' ? '' : toPowertools(peer),
          ]),
        },
      ],
      figures: { 'memory of 10,000 records against Powertools': toPowertools('lineclear') },
    }
  },
}

function peakOf(database: Database, peer: PeerName): Promise<number> {
  return withPeers(database, [{ peer }], async ([fresh]) => {
    const batch = { shape: 'unique', size: RECORDS, batches: 1, payloadBytes: 1_024 } as const
    return (await fresh?.run({ ...batch, collectFirst: true }))?.peakRss ?? Number.NaN
  })
}
