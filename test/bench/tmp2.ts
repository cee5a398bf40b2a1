import { startStub } from './stub/server.ts'
import { openPeer } from './openPeer.ts'
const stub = await startStub()
const names = ['raw', 'powertools', 'lineclear'] as const
const peers = [
  ...names.map((peer) => [peer, openPeer({ peer, endpoint: stub.endpoint })] as const),
  ['quiet', openPeer({ peer: 'lineclear', quiet: true, endpoint: stub.endpoint })] as const,
]
const median = (l: number[]) => l.toSorted((a, b) => a - b)[Math.floor(l.length / 2)]!
for (const shape of ['unique', 'replayed', 'half'] as const)
  for (const size of [1, 10, 100]) {
    const seen: Record<string, number[]> = {}
    const batches = { 1: 150, 10: 20, 100: 3 }[size]!
    for (let round = 0; round < 6; round++)
      for (const [name, peer] of peers) {
        stub.reset()
        const t = await peer.run({ shape, size, batches, payloadBytes: 1000 })
        if (round > 0) (seen[name] ??= []).push(t.cpu / batches / size)
      }
    const base = median(seen['raw']!)
    console.log(
      shape,
      size,
      ...Object.entries(seen).map(
        ([n, l]) =>
          `${n} ${median(l).toFixed(0)} (${(median(l) / base).toFixed(3)}) [${Math.min(...l).toFixed(0)}-${Math.max(...l).toFixed(0)}]`,
      ),
    )
  }
for (const [, p] of peers) await p.close()
await stub.stop()
