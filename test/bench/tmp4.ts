import { fork } from 'node:child_process'
import { once } from 'node:events'
import { startStub } from './stub/server.ts'
const stub = await startStub()
const [shape, size, n, peer] = process.argv.slice(2)
const child = fork(
  import.meta.dirname + '/peerProcess.ts',
  [JSON.stringify({ peer, endpoint: stub.endpoint, quiet: process.argv[6] === 'quiet' })],
  {
    execArgv: [
      '--expose-gc',
      '--conditions=lineclear:source',
      '--cpu-prof',
      '--cpu-prof-dir=/tmp/prof',
      '--cpu-prof-interval=200',
    ],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  },
)
for (let i = 0; i < 4; i++) {
  stub.reset()
  child.send({ shape, size: Number(size), batches: Number(n), payloadBytes: 1000 })
  const [a] = await once(child, 'message')
  console.log(a.error ?? a.taken.cpu / Number(n) / Number(size))
}
child.disconnect()
await once(child, 'exit')
await stub.stop()
