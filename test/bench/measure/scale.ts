import { randomUUID } from 'node:crypto'
import type { Size } from '../effort.ts'
import { NAME_OF, type Shape } from '../events.ts'
import type { Bench, Measured, Part } from '../measured.ts'
import { withPeers } from '../process/openPeer.ts'
import { alternate, median, medianRatio } from '../statistics.ts'
import { startDatabase, type Database } from '../database/startDatabase.ts'
import { countBatch, type Counted } from './counts.ts'
import { cpuPerRecord, warmUp } from './cpu.ts'
import { countBatches } from './flows.ts'

const SIZES: readonly Size[] = [10, 100, 1_000, 10_000]
const MILLION = 1_000_000

/** What a record costs in larger batches, in a fuller table and with more keys. */
export const scale: Part = {
  name: 'scale',
  title: 'large batches, a million items, 1,000 keys',
  async measure(bench) {
    const batches = await growthOfBatches(bench)
    const database = await startDatabase()
    const parts = [batches, await fullTable(database), await keys(database, bench.effort.flows)]
    await database.stop()
    return {
      tables: parts.flatMap(({ tables }) => tables),
      figures: Object.assign({}, ...parts.map(({ figures }) => figures)) as Measured['figures'],
    }
  },
}

function growthOfBatches({ database, effort }: Bench): Promise<Measured> {
  return withPeers(database, [{ peer: 'lineclear' }], async ([peer]) => {
    if (peer === undefined) throw new Error('no peer was opened')
    await warmUp(peer, effort, ['unique'])
    const runs = SIZES.map(
      (size) =>
        [String(size), () => cpuPerRecord(peer, 'unique', size, effort.batches[size])] as const,
    )
    const samples = [...(await alternate(3, runs)).values()]
    const growth = samples.slice(1).map((values, nth) => medianRatio(values, samples[nth] ?? []))
    return {
      tables: [
        {
          title: 'CPU per record of lineclear by size of the batch, TLS',
          head: ['batch', 'µs', 'to a tenth of it'],
          rows: SIZES.map((size, nth) => [size, median(samples[nth] ?? []), growth[nth - 1] ?? '']),
        },
      ],
      figures: {
        'growth of CPU per record, from each batch size to one ten times as large': Math.max(
          ...growth,
        ),
      },
    }
  })
}

const BATCHES: readonly (readonly [Shape, number])[] = [
  ['unique', 1],
  ['unique', 10],
  ['unique', 100],
  ['replayed', 100],
  ['half', 100],
]

async function fullTable(database: Database): Promise<Measured> {
  const rows: (readonly [string, string, number, number, number])[] = []
  const count = async (items: string, before: () => void): Promise<readonly Counted[]> => {
    const costs: Counted[] = []
    for (const [shape, size] of BATCHES) {
      before()
      const cost = await countBatch(database, 'lineclear', shape, size)
      const { requests, writeUnits, readUnits } = cost
      rows.push([`${NAME_OF[shape]} ${size}`, items, requests, writeUnits, readUnits])
      costs.push(cost)
    }
    return costs
  }
  const empty = await count('none', () => database.reset())
  fill(database, MILLION)
  const full = await count('a million', () => {})
  const ratios = full.map((cost, nth) => ratioOf(cost, empty[nth] ?? cost))
  return {
    tables: [
      {
        title: 'Lineclear by items in the table, counted per record',
        head: ['batch', 'items before', 'requests', 'write units', 'read units'],
        rows,
      },
    ],
    figures: { 'requests and units, a million items against none': Math.max(...ratios) },
  }
}

/** Adds as many ended requests: one that a consumer has left there, under other message ids. */
function fill(database: Database, most: number): void {
  const found = database.operate('Scan', { TableName: 'lineclear', Limit: 1 })
  const [item] = (found as { readonly Items: readonly { readonly pk: { readonly S: string } }[] })
    .Items
  const [id] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(item?.pk.S ?? '') ?? []
  if (item === undefined || id === undefined) {
    throw new Error('expected the item of a record that was run, with its message id in the key')
  }
  for (let nth = 0; nth < most; nth++) {
    const pk = { S: item.pk.S.replace(id, randomUUID()) }
    database.operate('PutItem', { TableName: 'lineclear', Item: { ...item, pk } })
  }
}

async function keys(database: Database, flows: number): Promise<Measured> {
  const one = await countBatches(
    database,
    Array.from({ length: flows }, () => ['cart/1']),
  )
  const keysOfAll = Array.from({ length: flows }, (_, nth) => `cart/${nth}`)
  const each = keysOfAll.map((key) => [key])
  const again = await countBatches(database, each, { before: keysOfAll })
  const first = await countBatches(database, each)
  return {
    tables: [
      {
        title: `${flows.toLocaleString('en')} flows of three stages one after the other, counted per flow`,
        head: ['keys', 'requests', 'write units', 'read units'],
        rows: [
          [1, one.requests, one.writeUnits, one.readUnits],
          [`${flows}, used before`, again.requests, again.writeUnits, again.readUnits],
          [`${flows}, new`, first.requests, first.writeUnits, first.readUnits],
        ],
      },
    ],
    figures: { 'requests and units of a flow, one key against 1,000': ratioOf(one, again) },
  }
}

interface Costs {
  readonly requests: number
  readonly writeUnits: number
  readonly readUnits: number
}

/** The largest ratio of a cost to its counterpart, in either direction: 1 is flat. */
function ratioOf(one: Costs, other: Costs): number {
  const pairs = (['requests', 'writeUnits', 'readUnits'] as const).map((name) => [
    one[name],
    other[name],
  ])
  return Math.max(...pairs.map(([a = 0, b = 0]) => (a === b ? 1 : Math.max(a, b) / Math.min(a, b))))
}
