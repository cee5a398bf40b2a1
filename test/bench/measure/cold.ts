import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { batchOf } from '../events.ts'
import type { Bench, Part } from '../measured.ts'
import { bundleCold } from '../process/bundle.ts'
import { environmentOf } from '../process/environment.ts'
import { freshProcess } from '../process/freshProcess.ts'
import type { PeerName } from '../peers/index.ts'
import { alternate, median, medianRatio } from '../statistics.ts'

const PEERS = ['bare', 'raw', 'powertools', 'batched', 'lineclear'] as const
const SIZES = [1, 10, 100] as const

interface Row {
  readonly size: number
  readonly peer: string
  readonly milliseconds: number
  readonly connections: number
  /** Ratio to Powertools. */
  readonly ratio: number
}

/** A fresh process until its first batch has ended, above a bare one. Over TLS: a handshake is a good part of a first call. */
export const cold: Part = {
  name: 'cold',
  title: 'cold start',
  async measure(bench) {
    const bundles = new Map<PeerName, string>()
    for (const peer of PEERS) bundles.set(peer, await bundleCold(peer, bench.directory))
    const rows: Row[] = []
    for (const size of SIZES) rows.push(...(await compare(bench, bundles, size)))
    const ours = rows.filter(({ peer }) => peer === 'lineclear')
    const figures = ours.map(({ size, ratio }) => [
      `cold start against Powertools, ${size} record${size > 1 ? 's' : ''}`,
      ratio,
    ])
    return {
      tables: [
        {
          title: 'Cold start above bare Node, TLS',
          head: ['first batch', 'peer', 'ms', 'connections', 'to Powertools'],
          rows: rows.map((row) => [
            row.size,
            row.peer,
            row.milliseconds,
            row.connections,
            row.ratio,
          ]),
        },
      ],
      figures: Object.fromEntries(figures) as Record<string, number>,
    }
  },
}

async function compare(
  bench: Bench,
  bundles: ReadonlyMap<PeerName, string>,
  size: number,
): Promise<readonly Row[]> {
  const connections = new Map<string, number>()
  const runs = [...bundles].map(
    ([peer, bundle]) =>
      [
        peer,
        async () => {
          const wall = await startOnce(bench, bundle, size)
          connections.set(peer, bench.stub.counts().connections)
          return wall
        },
      ] as const,
  )
  // Once for the file cache.
  await alternate(1, runs)
  const samples = await alternate(bench.effort.starts, runs)
  const above = (peer: string): readonly number[] => {
    const bare = samples.get('bare') ?? []
    return (samples.get(peer) ?? []).map((wall, round) => wall - (bare[round] ?? Number.NaN))
  }
  return PEERS.filter((peer) => peer !== 'bare').map((peer) => ({
    size,
    peer,
    milliseconds: median(above(peer)),
    connections: connections.get(peer) ?? Number.NaN,
    ratio: medianRatio(above(peer), above('powertools')),
  }))
}

async function startOnce(
  { stub, directory }: Bench,
  bundle: string,
  size: number,
): Promise<number> {
  const event = join(directory, 'event.json')
  await writeFile(event, JSON.stringify(batchOf('unique', size, 1_024).event))
  stub.reset()
  const { wall = Number.NaN, executions } = await freshProcess([bundle, event], environmentOf(stub))
  if (executions !== size) throw new Error(`${bundle} ran ${executions} of ${size} records`)
  return wall
}
