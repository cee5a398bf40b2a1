// usage: tmpAB.ts shape size rounds root[:peer] ...
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { startStub } from './stub/server.ts'
const [shape, size, rounds, ...roots] = process.argv.slice(2)
const stub = await startStub()
const median = (l: number[]) => l.toSorted((a, b) => a - b)[Math.floor(l.length / 2)]!
const kids = roots.map((spec) => {
  const [root, peer = 'lineclear', quiet] = spec.split(':')
  return {
    spec,
    samples: [] as number[],
    batches: 0,
    child: fork(
      `${root}/test/bench/peerProcess.ts`,
      [JSON.stringify({ peer, quiet: quiet === 'quiet', endpoint: stub.endpoint })],
      {
        cwd: root,
        execArgv: ['--expose-gc', '--conditions=lineclear:source'],
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      },
    ),
  }
})
const run = async (kid: (typeof kids)[0], batches: number) => {
  stub.reset()
  kid.child.send({ shape, size: Number(size), batches, payloadBytes: 1000 })
  const [a] = await once(kid.child, 'message')
  if (a.error) throw new Error(kid.spec + a.error)
  return a.taken.cpu / batches / Number(size)
}
for (const kid of kids) {
  let t = 0
  for (let i = 0; i < 4 || t < Number(process.env.WARM ?? 1.5e6); i++) {
    const c = await run(kid, kid.batches || 3)
    t += c * Number(size) * (kid.batches || 3)
    kid.batches = Math.max(1, Math.ceil(2e5 / (c * Number(size))))
  }
}
for (let r = 0; r < Number(rounds); r++)
  for (const kid of kids) kid.samples.push(await run(kid, kid.batches))
for (const kid of kids)
  console.log(
    kid.spec,
    'n',
    kid.batches,
    'us/record',
    median(kid.samples).toFixed(1),
    'min',
    Math.min(...kid.samples).toFixed(1),
    'ratio',
    median(kid.samples.map((s, i) => s / kids[0]!.samples[i]!)).toFixed(3),
  )
for (const kid of kids) kid.child.disconnect()
await stub.stop()
