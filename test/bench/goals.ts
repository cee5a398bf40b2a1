import type { Shape } from './events.ts'
import type { Counted } from './measure/counts.ts'
import type { Results } from './results.ts'

/** A goal, and what this run has seen of it. */
export interface Judged {
  readonly name: string
  readonly goal: string
  readonly seen: string
  readonly verdict: 'met' | 'missed' | 'not measured' | 'not built'
}

const KB = 1_024

/** The goals of the project that apply to a consumer of one queue. */
export function judge(results: Results): readonly Judged[] {
  const { cold, size, slow, memory, batchGrowth, payloadGrowth } = results
  const consumer = size.find(({ door }) => door === 'recordHandler')?.single
  const ours = <T extends { readonly peer: string }>(rows: readonly T[]): T | undefined =>
    rows.find(({ peer }) => peer === 'lineclear')
  const counted = (
    shape: Shape,
    batch: number,
    figure: 'requests' | 'writeUnits',
  ): number | undefined => countOf(results.counts, shape, batch)?.[figure]
  const cpu = (shape: Shape, batch: number): number | undefined =>
    ours(results.cpu.filter((each) => each.shape === shape && each.size === batch))?.ratio
  const wall = (batch: number): number | undefined =>
    ours(results.wall.filter((each) => each.size === batch))?.ratio
  return [
    atMost('requests per record, unique, batch of 10', 0.2, counted('unique', 10, 'requests')),
    atMost('requests per record, unique, batch of 100', 0.08, counted('unique', 100, 'requests')),
    atMost(
      'requests per record, redelivered batch of 100',
      0.02,
      counted('replayed', 100, 'requests'),
    ),
    exactly('write units per record, strict', 2, counted('unique', 100, 'writeUnits')),
    exactly('write units per replayed redelivery', 0, counted('replayed', 100, 'writeUnits')),
    notBuilt('write units per record, group commit', '<= 1.10'),
    notBuilt('flow stage: write units per stage', '<= 2 + 1 per flow'),
    atMost('CPU against the raw loop, unique, batch of 1', 1.05, cpu('unique', 1)),
    atMost('CPU against the raw loop, unique, batch of 10', 0.25, cpu('unique', 10)),
    atMost('CPU against the raw loop, unique, batch of 100', 0.08, cpu('unique', 100)),
    atMost('CPU against the raw loop, replayed, batch of 10', 0.3, cpu('replayed', 10)),
    atMost('CPU against the raw loop, replayed, batch of 100', 0.08, cpu('replayed', 100)),
    atMost('wall time against Powertools, batch of 10', 0.65, wall(10)),
    atMost('wall time against Powertools, batch of 100', 0.2, wall(100)),
    atMost('wall time against Powertools, batch of 1,000', 0.1, wall(1_000)),
    ...slow.map(({ name, ratio }) =>
      atMost(`slow handlers against them alone, ${name}`, 1.1, ratio),
    ),
    atMost('cold start against Powertools, first batch of 10', 0.7, ours(cold)?.ratio),
    atMost('TLS connections, first batch of 10', 1, ours(cold)?.connections),
    atMost(
      'connections, first batch of 100',
      4,
      countOf(results.counts, 'unique', 100)?.connections,
    ),
    atMost('bundle of a consumer, minified, KB', 60, inKb(consumer?.minified)),
    atMost('bundle of a consumer, gzipped, KB', 21, inKb(consumer?.gzipped)),
    atMost('memory of a batch of 10,000 against Powertools', 0.15, ours(memory)?.ratio),
    atMost('CPU per record, batch of 10,000 against 100', 1.15, ours(batchGrowth)?.ratio),
    atMost('CPU of the framework, payload of 256 KB against 1 KB', 1.5, ours(payloadGrowth)?.ratio),
  ]
}

function countOf(counts: readonly Counted[], shape: Shape, size: number): Counted | undefined {
  return counts.find(
    (each) => each.peer === 'lineclear' && each.shape === shape && each.size === size,
  )
}

function atMost(name: string, limit: number, seen: number | undefined): Judged {
  return judged(name, `<= ${limit}`, seen, (value) => value <= limit)
}

function exactly(name: string, expected: number, seen: number | undefined): Judged {
  return judged(name, `= ${expected}`, seen, (value) => value === expected)
}

function judged(
  name: string,
  goal: string,
  seen: number | undefined,
  met: (value: number) => boolean,
): Judged {
  if (seen === undefined) return { name, goal, seen: '-', verdict: 'not measured' }
  return {
    name,
    goal,
    seen: String(Number(seen.toPrecision(3))),
    verdict: met(seen) ? 'met' : 'missed',
  }
}

function notBuilt(name: string, goal: string): Judged {
  return { name, goal, seen: '-', verdict: 'not built' }
}

function inKb(bytes: number | undefined): number | undefined {
  return bytes === undefined ? undefined : bytes / KB
}
