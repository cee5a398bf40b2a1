import type { Bench, Part } from '../measured.ts'
import { withPeers } from '../process/openPeer.ts'
import { median, medianRatio } from '../statistics.ts'
import { timeOf, timesOf } from './wall.ts'

interface SlowCase {
  readonly name: string
  readonly workMs: number
  readonly concurrency: number
}

const CASES: readonly SlowCase[] = [
  { name: '100 of 20 ms, 10 at once', workMs: 20, concurrency: 10 },
  { name: '100 of 5 ms, one by one', workMs: 5, concurrency: 1 },
]
const RECORDS = 100

export const slow: Part = {
  name: 'slow',
  title: 'slow handlers',
  async measure(bench) {
    const rows: (readonly [string, number, number, number])[] = []
    for (const each of CASES) rows.push(await measureCase(bench, each))
    const figures = rows.map(([name, , , ratio]) => [
      `slow handlers against them alone, ${name}`,
      ratio,
    ])
    return {
      tables: [
        {
          title: 'Slow handlers, TLS, 4 ms database',
          head: ['handlers', 'alone, ms', 'lineclear, ms', 'ratio'],
          rows,
        },
      ],
      figures: Object.fromEntries(figures) as Record<string, number>,
    }
  },
}

async function measureCase(
  { database, effort }: Bench,
  { name, workMs, concurrency }: SlowCase,
): Promise<readonly [string, number, number, number]> {
  const setups = (['bare', 'lineclear'] as const).map((peer) => ({ peer, workMs, concurrency }))
  return withPeers(database, setups, async (peers) => {
    for (const peer of [...peers, ...peers, ...peers]) await timeOf(peer, RECORDS)
    const samples = await timesOf(database, peers, RECORDS, effort)
    const [alone = [], ours = []] = [samples.get('bare'), samples.get('lineclear')]
    return [name, median(alone), median(ours), medianRatio(ours, alone)]
  })
}
