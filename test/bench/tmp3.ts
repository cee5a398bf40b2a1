import { startStub } from './stub/server.ts'
import { openPeer } from './openPeer.ts'
const stub = await startStub()
const shape = process.argv[2] as 'unique',
  size = Number(process.argv[3]),
  n = Number(process.argv[4])
const names = (process.argv[5] ?? 'raw,powertools,lineclear').split(',') as ('raw' | 'lineclear')[]
const peers = [...names.map((peer) => [peer, openPeer({ peer, endpoint: stub.endpoint })] as const)]
for (let round = 0; round < 8; round++) {
  const out = []
  for (const [name, peer] of peers) {
    stub.reset()
    const t = await peer.run({ shape, size, batches: n, payloadBytes: 1000 })
    out.push(`${name} ${(t.cpu / n / size).toFixed(0)}`)
  }
  console.log(...out)
}
for (const [, p] of peers) await p.close()
await stub.stop()
