import { randomUUID } from 'node:crypto'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { SQSEvent } from 'aws-lambda'
import { contextOf } from '../context.ts'
import { batchOf, type Shape } from '../events.ts'
import { PEERS, type PeerName } from '../peers/index.ts'
import type { Stub } from '../stub/server.ts'
import type { Counts } from '../stub/tally.ts'

/** Per record, counted and not estimated. */
export interface Counted {
  readonly peer: PeerName
  readonly shape: Shape
  readonly size: number
  readonly requests: number
  readonly writeUnits: number
  readonly readUnits: number
  /** HTTP without TLS, both directions, headers included. */
  readonly bytes: number
  /** Bytes of the requests' bodies. */
  readonly bodies: number
  /** For the whole batch, by a client that had none open. */
  readonly connections: number
}

const PAYLOAD_BYTES = 1_024

/** One batch, by a consumer that has just started. */
export async function countBatch(
  stub: Stub,
  peer: PeerName,
  shape: Shape,
  size: number,
): Promise<Counted> {
  const { before, event, fresh } = batchOf(shape, size, PAYLOAD_BYTES)
  if (before !== undefined) await runOnce(stub, peer, before)
  stub.startCounting()
  const executions = await runOnce(stub, peer, event)
  if (executions !== fresh) throw new Error(`${peer} ran ${executions} of ${fresh} new records`)
  return { peer, shape, size, ...perRecord(stub.counts(), size) }
}

export function clientOf({ endpoint }: Stub): DynamoDBClient {
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI' }
  return new DynamoDBClient({ endpoint, region: 'eu-west-1', credentials })
}

async function runOnce(stub: Stub, peer: PeerName, event: SQSEvent): Promise<number> {
  const client = clientOf(stub)
  let executions = 0
  const work = (): unknown => (executions += 1)
  const { batchItemFailures } = await PEERS[peer]({ work, client, quiet: true })(
    event,
    contextOf(randomUUID()),
  )
  client.destroy()
  if (batchItemFailures.length > 0) throw new Error(`${peer} left records on the queue`)
  return executions
}

function perRecord(counts: Counts, size: number): Omit<Counted, 'peer' | 'shape' | 'size'> {
  return {
    requests: counts.requests / size,
    writeUnits: counts.writeUnits / size,
    readUnits: counts.readUnits / size,
    bytes: (counts.up + counts.down) / size,
    bodies: counts.bodies / size,
    connections: counts.connections,
  }
}
