import { Client } from 'pg'
import { Logger, makeWorkerUtils, run } from 'graphile-worker'
import { server } from '../../../features/sql/database.ts'
import { type Stage, until } from '../stage.ts'
import type { Peer } from './peer.ts'

/** Two processes. Its lock ends after four hours, which are taken off here: in the database, where its clock is. */
export const graphileWorker: Peer = {
  name: 'graphile-worker',
  packages: ['graphile-worker'],
  better: 'a job can be added in SQL, by a trigger too',
  play: async ({ name, attempt, goOn, begun }: Stage) => {
    const { url: connectionString } = await server()
    const schema = name.replace('-', '_')
    const logger = new Logger(() => () => {})
    const database = { connectionString, schema, logger }
    const tasks = await makeWorkerUtils(database)
    await tasks.migrate()
    await tasks.addJob('charge', {}, { jobKey: name })
    let failed = 0
    let done = 0
    const start = async (): Promise<{ stop(): Promise<void> }> => {
      const runner = await run({
        ...database,
        noHandleSignals: true,
        pollInterval: 200,
        minResetLockedInterval: 200,
        maxResetLockedInterval: 400,
        taskList: { charge: () => attempt() },
      })
      runner.events.on('job:error', () => void (failed += 1))
      runner.events.on('job:success', () => void (done += 1))
      return runner
    }
    const first = await start()
    await until(() => begun() === 1)
    const second = await start()
    const client = new Client({ connectionString })
    await client.connect()
    await client.query(
      `UPDATE ${schema}._private_jobs SET locked_at = locked_at - interval '4 hours'`,
    )
    await until(() => done === 1)
    goOn()
    await until(() => failed === 1)
    await Promise.all([first, second].map((runner) => runner.stop()))
    await tasks.release()
    await client.end()
  },
}
