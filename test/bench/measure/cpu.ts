import type { Effort } from '../effort.ts'
import type { Shape } from '../events.ts'
import { type OpenPeer, withPeers } from '../openPeer.ts'
import { alternate, median, medianRatio } from '../statistics.ts'
import type { Stub } from '../stub/server.ts'

/** CPU of the client per record. */
export interface Cpu {
  readonly peer: string
  readonly shape: Shape
  readonly size: number
  readonly microseconds: number
  /** Ratio to the raw loop of the same rounds. */
  readonly ratio: number
}

const SETUPS = [
  { peer: 'raw' },
  { peer: 'powertools' },
  { peer: 'lineclear' },
  { peer: 'lineclear', quiet: true, label: 'lineclear, silent' },
] as const
const SIZES = [1, 10, 100] as const
const PAYLOAD_BYTES = 1_024

export function measureCpu(stub: Stub, effort: Effort): Promise<readonly Cpu[]> {
  return withPeers(stub, SETUPS, async (peers) => {
    for (const peer of peers) await warmUp(peer, effort)
    const cells: Cpu[] = []
    for (const shape of effort.shapes) {
      for (const size of SIZES) cells.push(...(await compare(peers, shape, size, effort)))
    }
    return cells
  })
}

/** By time and not by records: a peer that makes a tenth of the calls must not be measured ten times colder. */
export async function warmUp(peer: OpenPeer, { cpu }: Effort): Promise<void> {
  for (let spent = 0; spent < 10 * cpu;) {
    for (const size of SIZES) {
      spent += (
        await peer.run({
          shape: 'unique',
          size,
          batches: 1 + 50 / size,
          payloadBytes: PAYLOAD_BYTES,
        })
      ).cpu
    }
  }
}

async function compare(
  peers: readonly OpenPeer[],
  shape: Shape,
  size: number,
  effort: Effort,
): Promise<readonly Cpu[]> {
  const runs: [string, () => Promise<number>][] = []
  for (const peer of peers) {
    const batches = await batchesWorth(peer, shape, size, effort)
    runs.push([peer.name, () => cpuPerRecord(peer, shape, size, batches)])
  }
  const samples = await alternate(effort.rounds, runs)
  const raw = samples.get('raw') ?? []
  return [...samples].map(([peer, values]) => ({
    peer,
    shape,
    size,
    microseconds: median(values),
    ratio: medianRatio(values, raw),
  }))
}

/** As many batches as burn the CPU of one round. */
async function batchesWorth(
  peer: OpenPeer,
  shape: Shape,
  size: number,
  { cpu }: Effort,
): Promise<number> {
  const tries = Math.ceil(20 / size)
  const perBatch = (await cpuPerRecord(peer, shape, size, tries)) * size
  return Math.max(1, Math.round(cpu / perBatch))
}

export async function cpuPerRecord(
  peer: OpenPeer,
  shape: Shape,
  size: number,
  batches: number,
  payloadBytes: number = PAYLOAD_BYTES,
): Promise<number> {
  const { cpu } = await peer.run({ shape, size, batches, payloadBytes })
  return cpu / (batches * size)
}
