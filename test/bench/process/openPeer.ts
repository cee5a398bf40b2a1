import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { environmentOf } from './environment.ts'
import type { Setup, Taken, Task } from './peerProcess.ts'
import type { Database } from '../database/startDatabase.ts'

/** A peer alone in a process, so that neither heap nor compiled code is shared. */
export interface OpenPeer {
  readonly name: string
  /** One at a time. The database is emptied before. */
  run(task: Task): Promise<Taken>
  close(): Promise<void>
}

/** What it logs goes nowhere, by synchronous writes as in Lambda; what it warns of is in the error with which it ends. */
export function openPeer(database: Database, setup: Setup): OpenPeer {
  const child = fork(join(import.meta.dirname, 'peerProcess.ts'), [JSON.stringify(setup)], {
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: environmentOf(database),
  })
  let warned = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    warned = (warned + chunk.toString()).slice(-4_000)
  })
  const gone = once(child, 'exit')
  const dead = gone.then(([code]): never => {
    throw new Error(`the process of ${setup.peer} ended with ${code}\n${warned}`)
  })
  dead.catch(() => {})
  return {
    name: setup.label ?? setup.peer,
    async run(task) {
      database.reset()
      child.send(task)
      const [answer] = await Promise.race([once(child, 'message'), dead])
      const { error, taken } = answer as { error: string } & { taken: Taken }
      if (error !== undefined) throw new Error(error)
      return taken
    },
    async close() {
      child.disconnect()
      await gone
    },
  }
}

/** Opens peers for the time of `use`. */
export async function withPeers<T>(
  database: Database,
  setups: readonly Setup[],
  use: (peers: readonly OpenPeer[]) => Promise<T>,
): Promise<T> {
  const peers = setups.map((setup) => openPeer(database, setup))
  try {
    return await use(peers)
  } finally {
    await Promise.all(peers.map((peer) => peer.close()))
  }
}
