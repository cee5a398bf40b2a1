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
  /** To Powertools in the same rounds. */
  readonly ratio: number
}

/** The database with the handlers' own time, for the same number of handlers at once. */
export interface Hidden {
  readonly name: string
  readonly alone: number
  readonly milliseconds: number
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
      const samples = await slowly(stub, () =>
        alternate(
          effort.rounds,
          peers.map((peer) => [peer.name, () => timeOf(peer, size)]),
        ),
      )
      const powertools = samples.get('powertools') ?? []
      for (const [peer, values] of samples) {
        cells.push({
          peer,
          size,
          milliseconds: median(values),
          ratio: medianRatio(values, powertools),
        })
      }
    }
    return cells
  })
}

const SLOW = [
  { name: '100 of 20 ms, 10 at once', size: 100, workMs: 20, concurrency: 10 },
  { name: '100 of 5 ms, one by one', size: 100, workMs: 5, concurrency: 1 },
] as const

export async function measureHidden(stub: Stub, effort: Effort): Promise<readonly Hidden[]> {
  const cells: Hidden[] = []
  for (const { name, size, workMs, concurrency } of SLOW) {
    const setups = (['bare', 'lineclear'] as const).map((peer) => ({ peer, workMs, concurrency }))
    cells.push(
      await withPeers(stub, setups, async (peers) => {
        for (const peer of [...peers, ...peers, ...peers]) await timeOf(peer, size)
        const samples = await slowly(stub, () =>
          alternate(
            effort.rounds,
            peers.map((peer) => [peer.name, () => timeOf(peer, size)]),
          ),
        )
        const [alone = [], ours = []] = [samples.get('bare'), samples.get('lineclear')]
        return {
          name,
          alone: median(alone),
          milliseconds: median(ours),
          ratio: medianRatio(ours, alone),
        }
      }),
    )
  }
  return cells
}

async function slowly<T>(stub: Stub, run: () => Promise<T>): Promise<T> {
  stub.delay = DATABASE_MS
  try {
    return await run()
  } finally {
    stub.delay = 0
  }
}

async function timeOf(peer: OpenPeer, size: number): Promise<number> {
  const batches = size < 100 ? 10 : 1
  const { wall } = await peer.run({ shape: 'unique', size, batches, payloadBytes: 1_024 })
  return median(wall)
}
