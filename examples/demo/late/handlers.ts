import { randomUUID } from 'node:crypto'
import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch'
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency'
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb'
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb'
import type { SQSRecord } from 'aws-lambda'
import { recordHandler, type Logger, type Store } from 'lineclear'
import type { LocalCloud, QueueHandler } from 'lineclear/local'
import { z } from 'zod'
import { eachRecord } from '../naiveRecords.ts'
import { TABLES } from '../tables.ts'
import { overtaken } from './overtaken.ts'
import { entriesOf } from './readLate.ts'

const Payment = z.object({ payment: z.string() })

interface Entry {
  readonly side: string
  readonly payment: string
}

export function naive(cloud: LocalCloud): QueueHandler {
  const attempt = overtaken()
  const put = putter(cloud)
  return eachRecord(async (body) => {
    const { payment } = Payment.parse(JSON.parse(body))
    const booked = await entriesOf(cloud, 'naive')
    if (booked.includes(payment)) return
    await attempt(payment, () => put({ side: 'naive', payment }))
  })
}

/** Batch and idempotency together, as the documentation of Powertools shows them. */
export function powertools(cloud: LocalCloud): QueueHandler {
  const attempt = overtaken()
  const put = putter(cloud)
  const processor = new BatchProcessor(EventType.SQS)
  const config = new IdempotencyConfig({ eventKeyJmesPath: 'powertools_json(body).payment' })
  const persistenceStore = new DynamoDBPersistenceLayer({
    tableName: TABLES.late.powertools,
    awsSdkV3Client: cloud.dynamodb,
  })
  const book = makeIdempotent(
    async ({ body }: SQSRecord): Promise<void> => {
      const { payment } = Payment.parse(JSON.parse(body))
      await attempt(payment, () => put({ side: 'powertools', payment }))
    },
    { persistenceStore, config },
  )
  return async (event, context) => {
    config.registerLambdaContext(context)
    return processPartialResponse(event, book, processor, { context })
  }
}

export function lineclear(cloud: LocalCloud, store: Store, logger: Logger): QueueHandler {
  const attempt = overtaken()
  return recordHandler(
    {
      name: 'late',
      store,
      schema: Payment,
      id: ({ payment }) => payment,
      clients: { sqs: cloud.sqs },
      logger,
    },
    async ({ payment }, ctx) => {
      const put = { side: 'lineclear', payment }
      const write = { TableName: TABLES.late.ledger, Key: { entryId: randomUUID() }, put }
      await attempt(payment, () => ctx.write('entry', write))
    },
  )
}

function putter({ dynamodb }: LocalCloud): (entry: Entry) => Promise<unknown> {
  const database = DynamoDBDocumentClient.from(dynamodb)
  return (entry) => {
    const Item = { entryId: randomUUID(), ...entry }
    return database.send(new PutCommand({ TableName: TABLES.late.ledger, Item }))
  }
}
