import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { batchOf } from '../events.ts'
import type { Bench, Part } from '../measured.ts'
import { bundleCold, type Form } from '../process/bundle.ts'
import { environmentOf } from '../process/environment.ts'
import { freshProcess } from '../process/freshProcess.ts'
import type { PeerName } from '../peers/index.ts'
import { alternate, median, medianRatio } from '../statistics.ts'

const PEERS = ['bare', 'raw', 'powertools', 'batched', 'lineclear'] as const
const CASES = [
  ['split', 1],
  ['split', 10],
  ['split', 100],
  ['CommonJS', 1],
  ['CommonJS', 10],
  ['CommonJS', 100],
  ['one ES module', 1],
] as const

interface Row {
  readonly form: Form
  readonly size: number
  readonly peer: string
  /** Milliseconds above the bare peer, and their ratio to Powertools. */
  readonly cpu: Figure
  readonly wall: Figure
  readonly connections: number
}

interface Figure {
  readonly milliseconds: number
  readonly ratio: number
}

/**
 * A fresh process until its first batch has ended, above a bare one. Over TLS: a handshake is a good part of a first call. The CPU is
 * judged: a function of 512 MB has a third of a processor, and so three times as long for it.
 */
export const cold: Part = {
  name: 'cold',
  title: 'cold start',
  async measure(bench) {
    const rows: Row[] = []
    for (const [form, size] of CASES) rows.push(...(await compare(bench, form, size)))
    const ours = rows.filter(({ peer }) => peer === 'lineclear')
    return {
      tables: [
        {
          title: 'Cold start above bare Node, TLS',
          head: [
            'bundle',
            'first batch',
            'peer',
            'CPU ms',
            'to Powertools',
            'ms',
            'to Powertools',
            'connections',
          ],
          rows: rows.map(({ form, size, peer, cpu, wall, connections }) => [
            form,
            size,
            peer,
            cpu.milliseconds,
            cpu.ratio,
            wall.milliseconds,
            wall.ratio,
            connections,
          ]),
        },
      ],
      figures: Object.fromEntries(ours.map((row) => [figureOf(row), row.cpu.ratio])),
    }
  },
}

function figureOf({ form, size }: Row): string {
  const records = `${size} record${size > 1 ? 's' : ''}`
  return `CPU of a cold start against Powertools, ${records}${form === 'split' ? '' : `, ${form}`}`
}

async function compare(bench: Bench, form: Form, size: number): Promise<readonly Row[]> {
  const bundles = new Map<PeerName, string>()
  for (const peer of PEERS) bundles.set(peer, await bundleCold(peer, form, bench.directory))
  const connections = new Map<string, number>()
  const walls = new Map<string, number[]>(PEERS.map((peer) => [peer, []]))
  const runs = [...bundles].map(
    ([peer, bundle]) =>
      [
        peer,
        async () => {
          const { cpu, wall } = await startOnce(bench, bundle, size)
          connections.set(peer, bench.database.counts().connections)
          walls.get(peer)?.push(wall)
          return cpu
        },
      ] as const,
  )
  // Once for the file cache.
  await alternate(1, runs)
  for (const taken of walls.values()) taken.length = 0
  const cpus = await alternate(bench.effort.starts, runs)
  return PEERS.filter((peer) => peer !== 'bare').map((peer) => ({
    form,
    size,
    peer,
    cpu: aboveBare(cpus, peer),
    wall: aboveBare(walls, peer),
    connections: connections.get(peer) ?? Number.NaN,
  }))
}

function aboveBare(samples: ReadonlyMap<string, readonly number[]>, name: string): Figure {
  const above = (peer: string): readonly number[] => {
    const bare = samples.get('bare') ?? []
    return (samples.get(peer) ?? []).map((taken, round) => taken - (bare[round] ?? Number.NaN))
  }
  return {
    milliseconds: median(above(name)),
    ratio: medianRatio(above(name), above('powertools')),
  }
}

async function startOnce(
  { database, directory }: Bench,
  bundle: string,
  size: number,
): Promise<{ readonly cpu: number; readonly wall: number }> {
  const event = join(directory, 'event.json')
  await writeFile(event, JSON.stringify(batchOf('unique', size, 1_024).event))
  database.reset()
  const report = await freshProcess([bundle, event], environmentOf(database))
  const { cpu = Number.NaN, wall = Number.NaN, executions } = report
  if (executions !== size) throw new Error(`${bundle} ran ${executions} of ${size} records`)
  return { cpu, wall }
}
