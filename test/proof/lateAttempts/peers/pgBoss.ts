import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { PgBoss } from 'pg-boss'
import { server } from '../../../features/sql/database.ts'
import { type Effects, type Stage, until } from '../stage.ts'
import type { Peer } from './peer.ts'

/** Two processes, and a job that may take a second. */
async function play(
  { name, goOn, begun }: Stage,
  work: (boss: PgBoss) => Promise<unknown>,
): Promise<void> {
  const connectionString = await addressOf()
  const bosses = [1, 2].map(() => new PgBoss({ connectionString, schema: name.replace('-', '_') }))
  for (const boss of bosses) {
    boss.on('error', () => {})
    boss.on('warning', () => {})
    await boss.start()
  }
  const [first] = bosses
  await first?.createQueue(name, { expireInSeconds: 1, retryLimit: 3 })
  const id = await first?.send(name, {})
  for (const boss of bosses) await work(boss)
  const stateOf = async (): Promise<string | undefined> =>
    (await first?.getJobById(name, id ?? ''))?.state
  await until(async () => begun() > 1 && (await stateOf()) === 'completed')
  goOn()
  await sleep(SEEN_BY_ALL_MS)
  for (const boss of bosses) await boss.stop({ graceful: false })
}

/** Each looks for jobs twice a second. */
const POLLS = { pollingIntervalSeconds: 0.5 } as const
const SEEN_BY_ALL_MS = 2_000

export const pgBoss: Peer = {
  name: 'pg-boss',
  packages: ['pg-boss'],
  better: 'schedules and priorities, with PostgreSQL alone',
  play: (stage) => play(stage, (boss) => boss.work(stage.name, POLLS, async () => stage.attempt())),
}

/** Its handler writes in the transaction that completes its job. */
export const transactional: Peer = {
  name: 'pg-boss, `transactional`',
  packages: ['pg-boss'],
  better: 'the job ends in the transaction of your rows',
  play: async (stage) => {
    await query('CREATE TABLE written (name text, attempt int)')
    await play(stage, (boss) =>
      boss.work(stage.name, { ...POLLS, transactional: true }, async (_, tx) => {
        const text = 'INSERT INTO written VALUES ($1, $2)'
        const write: Effects['write'] = (attempt) => tx.executeSql(text, [stage.name, attempt])
        await stage.attempt({ ...stage.own, write })
      }),
    )
  },
  written: async () => (await query('SELECT attempt FROM written')).map(({ attempt }) => attempt),
}

async function addressOf(): Promise<string> {
  return (await server()).url
}

async function query(text: string): Promise<readonly { readonly attempt: number }[]> {
  const client = new Client({ connectionString: await addressOf() })
  await client.connect()
  const { rows } = await client.query<{ readonly attempt: number }>(text)
  await client.end()
  return rows
}
