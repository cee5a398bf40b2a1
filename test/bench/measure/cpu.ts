import { type Effort, SHAPES, type Size, sizesOf } from '../effort.ts'
import { NAME_OF, type Shape } from '../events.ts'
import type { Part } from '../measured.ts'
import { type OpenPeer, withPeers } from '../process/openPeer.ts'
import { alternate, median, medianRatio } from '../statistics.ts'

/** CPU of the client's process per record. */
interface Row {
  readonly peer: string
  readonly shape: Shape
  readonly size: Size
  readonly microseconds: number
  /** Ratio to the raw loop of the same rounds. */
  readonly ratio: number
}

const SETUPS = [
  { peer: 'raw' },
  { peer: 'powertools' },
  { peer: 'lineclear' },
  { peer: 'lineclear', quiet: true, label: 'lineclear, silent' },
  { peer: 'lineclear', circuitBreaker: true, label: 'lineclear, circuit breaker' },
  { peer: 'lineclear', givenClient: true, label: 'lineclear, client of the user’s' },
] as const
const PAYLOAD_BYTES = 1_024
/** By the name of a peer. Figures have goals. */
const FIGURES: ReadonlyMap<string, string> = new Map([
  ['lineclear', 'CPU against the raw loop'],
  ['lineclear, client of the user’s', 'CPU with a client of the user’s against the raw loop'],
])

export const cpu: Part = {
  name: 'cpu',
  title: 'CPU per record',
  async measure({ database, effort }) {
    const rows = await withPeers(database, SETUPS, async (peers) => {
      for (const peer of peers) await warmUp(peer, effort)
      const cells: Row[] = []
      for (const shape of SHAPES) {
        for (const size of sizesOf(shape))
          cells.push(...(await compare(peers, shape, size, effort)))
      }
      cells.push(...(await compare(peers, 'unique', 1_000, effort)))
      return cells
    })
    const table = {
      title: 'CPU per record, TLS',
      head: ['batch', 'peer', 'µs', 'to raw'],
      rows: rows.map((row) => [nameOf(row), row.peer, row.microseconds, row.ratio]),
    }
    const figures = rows.flatMap((row): [string, number][] => {
      const figure = FIGURES.get(row.peer)
      return figure === undefined ? [] : [[`${figure}, ${nameOf(row)}`, row.ratio]]
    })
    return { tables: [table], figures: Object.fromEntries(figures) }
  },
}

function nameOf({ shape, size }: Row): string {
  return `${NAME_OF[shape]}, batch of ${size.toLocaleString('en')}`
}

/** As many batches for each peer: one that makes a tenth of the calls gets a tenth of the CPU, as it does in production. */
export async function warmUp(
  peer: OpenPeer,
  { warmUp: batches }: Effort,
  shapes: readonly Shape[] = SHAPES,
): Promise<void> {
  for (const shape of shapes) {
    for (const size of sizesOf(shape)) {
      await peer.run({ shape, size, batches: batches[size], payloadBytes: PAYLOAD_BYTES })
    }
  }
}

async function compare(
  peers: readonly OpenPeer[],
  shape: Shape,
  size: Size,
  effort: Effort,
): Promise<readonly Row[]> {
  const runs = peers.map(
    (peer) => [peer.name, () => cpuPerRecord(peer, shape, size, effort.batches[size])] as const,
  )
  const samples = await alternate(size === 1_000 ? 3 : effort.rounds, runs)
  const raw = samples.get('raw') ?? []
  return [...samples].map(([peer, values]) => ({
    peer,
    shape,
    size,
    microseconds: median(values),
    ratio: medianRatio(values, raw),
  }))
}

export async function cpuPerRecord(
  peer: OpenPeer,
  shape: Shape,
  size: number,
  batches: number,
  payloadBytes: number = PAYLOAD_BYTES,
): Promise<number> {
  const taken = await peer.run({ shape, size, batches, payloadBytes })
  return taken.cpu / (batches * size)
}
