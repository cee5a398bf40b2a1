import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Setup, Taken, Task } from './peerProcess.ts'

/** A peer in a process of its own; its log goes nowhere, by the same synchronous writes as in Lambda. */
export interface OpenPeer {
  run(task: Task): Promise<Taken>
  close(): Promise<void>
}

export function openPeer(setup: Setup): OpenPeer {
  const child = fork(join(import.meta.dirname, 'peerProcess.ts'), [JSON.stringify(setup)], {
    execArgv: ['--expose-gc', '--conditions=lineclear:source'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, AWS_LAMBDA_FUNCTION_NAME: 'orders-consumer', NODE_COMPILE_CACHE: '' },
  })
  const gone = once(child, 'exit')
  return {
    async run(task) {
      child.send(task)
      const [answer] = await Promise.race([
        once(child, 'message'),
        gone.then(([code]) => [{ error: `the process of ${setup.peer} ended with ${code}` }]),
      ])
      if (answer.error !== undefined) throw new Error(answer.error)
      return answer.taken
    },
    async close() {
      child.disconnect()
      await gone
    },
  }
}
