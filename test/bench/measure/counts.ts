import { randomUUID } from 'node:crypto'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { SQSEvent } from 'aws-lambda'
import { contextOf } from '../context.ts'
import { SHAPES, sizesOf } from '../effort.ts'
import { batchOf, NAME_OF, type Shape } from '../events.ts'
import type { Part } from '../measured.ts'
import { PEERS, type PeerName } from '../peers/index.ts'
import { startDatabase, type Database } from '../database/startDatabase.ts'
import type { Counts } from '../database/tally.ts'

/** Per record, counted and not estimated. */
export interface Counted {
  readonly requests: number
  /** On the table and on its index. */
  readonly writeUnits: number
  readonly readUnits: number
  /** HTTP without TLS, both directions, headers included. */
  readonly bytes: number
  /** Bytes of the requests' bodies. */
  readonly bodies: number
  /** For the whole batch, by a client that had none open. */
  readonly connections: number
}

interface Row extends Counted {
  readonly peer: PeerName
  readonly shape: Shape
  readonly size: number
}

const PAYLOAD_BYTES = 1_024
const COMPARED: readonly PeerName[] = ['raw', 'powertools', 'lineclear']

export const counts: Part = {
  name: 'counts',
  title: 'requests, units and bytes',
  async measure() {
    const database = await startDatabase()
    const rows: Row[] = []
    const count = async (peer: PeerName, shape: Shape, size: number): Promise<void> => {
      database.reset()
      rows.push({ peer, shape, size, ...(await countBatch(database, peer, shape, size)) })
    }
    for (const shape of SHAPES) {
      for (const size of sizesOf(shape)) {
        for (const peer of COMPARED) await count(peer, shape, size)
      }
    }
    await count('stock', 'unique', 1)
    await count('returned', 'unique', 1)
    for (const peer of ['powertoolsCalls', 'lineclearCalls'] as const) {
      await count(peer, 'unique', 1)
      await count(peer, 'replayed', 1)
    }
    await database.stop()
    return { tables: [tableOf(rows)], figures: figuresOf(rows) }
  },
}

function tableOf(rows: readonly Row[]) {
  return {
    title: 'Counted, per record',
    head: ['batch', 'peer', 'requests', 'write units', 'read units', 'bytes', 'connections'],
    rows: rows.map((row) => [
      `${NAME_OF[row.shape]} ${row.size}`,
      row.peer,
      row.requests,
      row.writeUnits,
      row.readUnits,
      row.bytes,
      row.connections,
    ]),
  }
}

function figuresOf(rows: readonly Row[]) {
  const figures: Record<string, number> = {}
  for (const { peer, shape, size, requests, writeUnits } of rows) {
    if (peer === 'returned') {
      figures['requests for a record with one write of its own'] = requests
      figures['write units for a record with one write of its own'] = writeUnits
    }
    if (peer !== 'lineclear') continue
    figures[`requests per record, ${NAME_OF[shape]}, batch of ${size}`] = requests
    figures[`write units per record, ${NAME_OF[shape]}, batch of ${size}`] = writeUnits
  }
  return figures
}

/** One batch, by a consumer that has just started. */
export async function countBatch(
  database: Database,
  peer: PeerName,
  shape: Shape,
  size: number,
): Promise<Counted> {
  const { before, event, fresh } = batchOf(shape, size, PAYLOAD_BYTES)
  if (before !== undefined) await runOnce(database, peer, before)
  database.startCounting()
  const executions = await runOnce(database, peer, event)
  if (executions !== fresh) throw new Error(`${peer} ran ${executions} of ${fresh} new records`)
  return perRecord(database.counts(), size)
}

export function clientOf({ endpoint }: Database): DynamoDBClient {
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI' }
  return new DynamoDBClient({ endpoint, region: 'eu-west-1', credentials })
}

async function runOnce(database: Database, peer: PeerName, event: SQSEvent): Promise<number> {
  const client = clientOf(database)
  let executions = 0
  const work = (): unknown => (executions += 1)
  const handler = (await PEERS[peer]())({ work, client, quiet: true })
  const { batchItemFailures } = await handler(event, contextOf(randomUUID()))
  client.destroy()
  if (batchItemFailures.length > 0) throw new Error(`${peer} left records on the queue`)
  return executions
}

function perRecord(total: Counts, size: number): Counted {
  return {
    requests: total.requests / size,
    writeUnits: total.writeUnits / size,
    readUnits: total.readUnits / size,
    bytes: (total.up + total.down) / size,
    bodies: total.bodies / size,
    connections: total.connections,
  }
}
