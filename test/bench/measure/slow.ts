import type { Effort } from '../effort.ts'
import { withPeers } from '../openPeer.ts'
import { median, medianRatio } from '../statistics.ts'
import type { Stub } from '../stub/server.ts'
import { timeOf, timesOf } from './wall.ts'

/** A batch of handlers that take their time, with a 4 ms database, against the same handlers alone. Milliseconds. */
export interface Slow {
  readonly name: string
  readonly alone: number
  readonly milliseconds: number
  readonly ratio: number
}

const CASES = [
  { name: '100 of 20 ms, 10 at once', size: 100, workMs: 20, concurrency: 10 },
  { name: '100 of 5 ms, one by one', size: 100, workMs: 5, concurrency: 1 },
] as const

export async function measureSlow(stub: Stub, effort: Effort): Promise<readonly Slow[]> {
  const cells: Slow[] = []
  for (const each of CASES) cells.push(await measureCase(stub, each, effort))
  return cells
}

function measureCase(
  stub: Stub,
  { name, size, workMs, concurrency }: (typeof CASES)[number],
  effort: Effort,
): Promise<Slow> {
  const setups = (['bare', 'lineclear'] as const).map((peer) => ({ peer, workMs, concurrency }))
  return withPeers(stub, setups, async (peers) => {
    for (const peer of [...peers, ...peers, ...peers]) await timeOf(peer, size)
    const samples = await timesOf(stub, peers, size, effort)
    const [alone = [], ours = []] = [samples.get('bare'), samples.get('lineclear')]
    const ratio = medianRatio(ours, alone)
    return { name, alone: median(alone), milliseconds: median(ours), ratio }
  })
}
