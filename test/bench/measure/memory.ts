import { withPeers } from '../openPeer.ts'
import type { PeerName } from '../peers/index.ts'
import type { Stub } from '../stub/server.ts'

/** The peak memory of a fresh process with a batch of 10,000 records, above one that only runs the handlers. Bytes. */
export interface Memory {
  readonly peer: PeerName
  readonly aboveEvent: number
  /** Ratio to Powertools. */
  readonly ratio: number
}

const RECORDS = 10_000

export async function measureMemory(stub: Stub): Promise<readonly Memory[]> {
  const bare = await peakOf(stub, 'bare')
  const powertools = (await peakOf(stub, 'powertools')) - bare
  const lineclear = (await peakOf(stub, 'lineclear')) - bare
  return [
    { peer: 'powertools', aboveEvent: powertools, ratio: 1 },
    { peer: 'lineclear', aboveEvent: lineclear, ratio: lineclear / powertools },
  ]
}

function peakOf(stub: Stub, peer: PeerName): Promise<number> {
  return withPeers(stub, [{ peer }], async (peers) => {
    const task = { shape: 'unique', size: RECORDS, batches: 1, payloadBytes: 1_024 } as const
    const peaks = await Promise.all(peers.map((each) => each.run(task)))
    return Math.max(...peaks.map(({ peakRss }) => peakRss))
  })
}
