import { createRequire } from 'node:module'
import { server } from '../../../features/sql/database.ts'
import { type Effects, type Stage, until } from '../stage.ts'
import type { Peer } from './peer.ts'

type Sdk = typeof import('@dbos-inc/dbos-sdk')
type Charge = (own: Effects['charge']) => Effects['charge']

/** Two processes of one executor, as when another is started in place of one that hangs: each loads the SDK for itself. */
function loadAgain(): Sdk['DBOS'] {
  const load = createRequire(import.meta.url)
  for (const path of Object.keys(load.cache)) {
    if (path.includes('@dbos-inc')) delete load.cache[path]
  }
  return (load('@dbos-inc/dbos-sdk') as Sdk).DBOS
}

async function play(stage: Stage, stands: 'before' | 'inside', charge: Charge): Promise<void> {
  const { name, own, begun, goOn } = stage
  const { url } = await server()
  const start = async () => {
    const sdk = loadAgain()
    const step = (effect: keyof Effects, act: Effects[typeof effect]) => (attempt: number) =>
      sdk.runStep(async () => void (await act(attempt)), { name: effect })
    const by = {
      write: step('write', own.write),
      charge: step('charge', charge(own.charge)),
      send: step('send', own.send),
    }
    const flow = sdk.registerWorkflow(() => stage.attempt(by, stands), { name: 'flow' })
    sdk.setConfig({
      name,
      systemDatabaseUrl: url,
      systemDatabaseSchemaName: name.replace('-', '_'),
      logger: { ...QUIET },
    })
    await sdk.launch()
    return { sdk, run: () => sdk.startWorkflow(flow, { workflowID: name })() }
  }
  const first = await start()
  const late = await first.run()
  await until(() => begun() === 1)
  const second = await start()
  await (await second.run()).getResult()
  goOn()
  await late.getResult().catch(() => {})
  await (await second.run()).getResult().catch(() => {})
  for (const { sdk } of [first, second]) await sdk.shutdown()
}

const QUIET = { info() {}, debug() {}, warn() {}, error() {} }

export const dbos: Peer = {
  name: 'DBOS',
  packages: ['@dbos-inc/dbos-sdk'],
  better: 'the same, and long waits, in plain code with PostgreSQL alone',
  play: (stage) => play(stage, 'before', (own) => own),
}

/** The first attempt stands still between its step and the outside system. */
export const insideStep: Peer = {
  name: 'DBOS, inside a step',
  packages: ['@dbos-inc/dbos-sdk'],
  better: 'a step in a transaction commits once',
  play: (stage) =>
    play(stage, 'inside', (own) => async (attempt) => {
      if (attempt === 1) await stage.overtaken
      await own(attempt)
    }),
}
