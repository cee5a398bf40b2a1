import type { Effort } from '../effort.ts'
import { type OpenPeer, withPeers } from '../openPeer.ts'
import { alternate, median, medianRatio } from '../statistics.ts'
import type { Stub } from '../stub/server.ts'
import { warmUp } from './cpu.ts'

/** Time per batch with a database that answers after 4 ms. */
export interface Wall {
  readonly peer: string
  readonly size: number
  readonly milliseconds: number
  /** Ratio to Powertools in the same rounds. */
  readonly ratio: number
}

const DATABASE_MS = 4
const PEERS = ['raw', 'powertools', 'lineclear'] as const
const SIZES = [10, 100, 1_000] as const

export function measureWall(stub: Stub, effort: Effort): Promise<readonly Wall[]> {
  const setups = PEERS.map((peer) => ({ peer }))
  return withPeers(stub, setups, async (peers) => {
    for (const peer of peers) await warmUp(peer, effort)
    const cells: Wall[] = []
    for (const size of SIZES.filter((each) => each <= effort.largest)) {
      const samples = await timesOf(stub, peers, size, effort)
      const powertools = samples.get('powertools') ?? []
      for (const [peer, values] of samples) {
        const ratio = medianRatio(values, powertools)
        cells.push({ peer, size, milliseconds: median(values), ratio })
      }
    }
    return cells
  })
}

/** Milliseconds of a batch, round by round. */
export async function timesOf(
  stub: Stub,
  peers: readonly OpenPeer[],
  size: number,
  { rounds }: Effort,
): Promise<ReadonlyMap<string, readonly number[]>> {
  stub.delay = DATABASE_MS
  try {
    const runs = peers.map((peer) => [peer.name, () => timeOf(peer, size)] as const)
    return await alternate(size > 100 ? Math.min(rounds, 3) : rounds, runs)
  } finally {
    stub.delay = 0
  }
}

export async function timeOf(peer: OpenPeer, size: number): Promise<number> {
  const batches = size < 100 ? 10 : 1
  const { wall } = await peer.run({ shape: 'unique', size, batches, payloadBytes: 1_024 })
  return median(wall)
}
