import { Client } from 'pg'
import { postgresTables } from 'lineclear/postgres'
import { startPostgres } from '../../../examples/sql-ledger/local/startPostgres.ts'
import type { Bench, Measured, Part } from '../measured.ts'
import { withPeers } from '../process/openPeer.ts'
import { alternate, median } from '../statistics.ts'
import { cpuPerRecord } from './cpu.ts'

const SETUPS = [
  { peer: 'lineclear' },
  { peer: 'stock', label: 'lineclear, ctx.write' },
  { peer: 'returned', label: 'lineclear, writeHandler' },
  { peer: 'sql', label: 'lineclear, ctx.sql' },
  { peer: 'sqlByHand', label: 'a mark in SQL by hand' },
] as const

/** What one write of the user's adds to a record. */
export const effects: Part = {
  name: 'effects',
  title: 'CPU of effects',
  async measure(bench) {
    const postgres = await startPostgres()
    process.env['DATABASE_URL'] = postgres.url
    try {
      await createTables(postgres.url)
      return await compare(bench)
    } finally {
      delete process.env['DATABASE_URL']
      await postgres.stop()
    }
  },
}

async function createTables(connectionString: string): Promise<void> {
  const client = new Client({ connectionString })
  await client.connect()
  await client.query(postgresTables())
  await client.query('CREATE TABLE bookings (id text); CREATE TABLE marks (id text PRIMARY KEY)')
  await client.end()
}

function compare({ database, effort: { rounds, warmUp, batches } }: Bench): Promise<Measured> {
  return withPeers(database, SETUPS, async (peers) => {
    const run = (times: number) =>
      peers.map((peer) => [peer.name, () => cpuPerRecord(peer, 'unique', 10, times)] as const)
    await alternate(1, run(4 * warmUp[10]))
    const samples = await alternate(rounds, run(batches[10]))
    const none = samples.get('lineclear') ?? []
    const rows = [...samples].map(([peer, values]) => [
      peer,
      median(values),
      values === none || peer === 'a mark in SQL by hand'
        ? ''
        : median(values.map((value, round) => value - (none[round] ?? Number.NaN))),
    ])
    const title = 'CPU per record with one write of its own, batch of 10, TLS'
    return {
      tables: [{ title, head: ['peer', 'µs', 'above no write, µs'], rows }],
      figures: {},
    }
  })
}
