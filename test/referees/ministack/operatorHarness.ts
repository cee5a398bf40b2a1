import { CreateTableCommand } from '@aws-sdk/client-dynamodb'
import { CreateQueueCommand, SetQueueAttributesCommand } from '@aws-sdk/client-sqs'
import type { Context, SQSRecord } from 'aws-lambda'
import { defineFlow, recordHandler } from 'lineclear'
import { dynamoDbStore, tableDefinition } from 'lineclear/dynamodb'
import { sqsEvent, sqsRecord } from 'lineclear/testing'
import { z } from 'zod'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { rootAccount } from './account.ts'
import { clientsOf } from '../../aws/places/deployed.ts'
import { REGION } from './startMinistack.ts'

const ACCOUNT = '000000000000'
/** A separate table, so that the books of the examples are not changed. */
export const TABLE = 'desk'
const Quote = z.object({ quoteId: z.string(), price: z.number() })

/** A consumer and a flow of which some requests have gone wrong, with queues and a table of their own. */
export async function operatorHarness(endpoint: string) {
  const { sqs, dynamodb } = clientsOf(rootAccount(endpoint))
  await dynamodb.send(new CreateTableCommand(tableDefinition({ tableName: TABLE })))
  const urls = new Map<string, string>()
  for (const QueueName of ['desk-dead', 'desk', 'desk-ask', 'desk-quote']) {
    const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName }))
    urls.set(QueueName, QueueUrl)
    if (QueueName === 'desk-dead') continue
    const RedrivePolicy = JSON.stringify({
      deadLetterTargetArn: arnOf('desk-dead'),
      maxReceiveCount: 10,
    })
    await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { RedrivePolicy } }))
  }
  const urlOf = (name: string): string => urls.get(name) ?? ''
  const shared = {
    store: dynamoDbStore({ tableName: TABLE, client: dynamodb }),
    clients: { sqs },
    logger: quietLogger(),
  }
  const calls: string[] = []
  const handler = recordHandler(
    {
      ...shared,
      name: 'desk',
      deadLetterQueueUrl: urlOf('desk-dead'),
      schema: z.object({ doubt: z.boolean() }),
      queueUrl: urlOf('desk'),
    },
    async ({ doubt }, ctx) => {
      const call = (): string => {
        calls.push(ctx.uniqueRequestId)
        if (doubt) throw new Error('socket hang up')
        return 'paid'
      }
      await ctx.call('charge', call, { ifUnknown: 'stop' })
    },
  )
  const flow = defineFlow({
    ...shared,
    name: 'quotes',
    key: ({ room }) => room,
    stages: {
      ask: { schema: z.object({ room: z.string() }), queueUrl: urlOf('desk-ask') },
    },
    awaitingSteps: {
      quote: {
        schema: Quote,
        id: ({ quoteId }) => quoteId,
        queueUrl: urlOf('desk-quote'),
        timeout: '1h',
      },
    },
  })
  const ask = flow.stageHandler('ask', async ({ room }, ctx) => {
    await ctx.awaitStep('quote', `quote of ${room}`, () => Promise.resolve())
  })
  return {
    calls,
    /** A request whose charge has an unknown outcome, with a dead letter. */
    doubt: async (id: string) =>
      void (await handler(sqsEvent(recordOf('desk', { doubt: true }, id)), context(20_000))),
    refused: async (id: string) =>
      void (await handler(sqsEvent(recordOf('desk', { doubt: 'perhaps' }, id)), context(20_000))),
    /** An attempt that began and never ends. */
    hold: (id: string) => {
      const held = recordHandler({ ...shared, name: 'held', queueUrl: urlOf('desk') }, async () => {
        await new Promise(() => {})
      })
      void held(sqsEvent(recordOf('desk', {}, id)), context(600_000))
    },
    waits: async (room: string) =>
      void (await ask(
        sqsEvent(recordOf('desk-ask', { room }, `request of ${room}`)),
        context(20_000),
      )),
  }
}

function arnOf(name: string): string {
  return `arn:aws:sqs:${REGION}:${ACCOUNT}:${name}`
}

function recordOf(queue: string, payload: object, uniquerequestid: string): SQSRecord {
  return sqsRecord(payload, { queueArn: arnOf(queue), attributes: { uniquerequestid } })
}

function context(remaining: number): Context {
  const until = Date.now() + remaining
  return { getRemainingTimeInMillis: () => until - Date.now() } as Context
}
