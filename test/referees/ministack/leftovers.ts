import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda'
import { SQSClient } from '@aws-sdk/client-sqs'
import type { Context } from 'aws-lambda'
import { defineFlow, onceForever } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { sqsEvent, sqsRecord } from 'lineclear/testing'
import { z } from 'zod'
import { systemClock } from '../../../src/library/base/clock.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { REGION, ROOT_KEY } from './startMinistack.ts'
import type { Place } from '../../aws/places/place.ts'

const HOUR = 3_600_000
const anHourAgo = { ...systemClock, now: () => Date.now() - HOUR }
/** Nothing listens there. */
const DEAF = {
  endpoint: 'http://127.0.0.1:9',
  region: REGION,
  credentials: ROOT_KEY,
  maxAttempts: 1,
}

/** What an outage leaves behind: an event that was accepted and not queued, and a run that no message continues. */
export async function leaveBehind({ clients, resources }: Place, event: object): Promise<void> {
  const store = dynamoDbStore({ tableName: 'lineclear', client: clients.dynamodb })
  const shared = {
    clock: anHourAgo,
    logger: quietLogger(),
    clients: { sqs: new SQSClient(DEAF) },
  }
  const to = { queueUrl: resources.get('LedgerQueue') ?? '' }
  const late = onceForever({ store, ...shared, name: 'callbacks' })
  await late.thenEnqueue('late', event, to).catch(() => {})
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  const flow = defineFlow({
    ...shared,
    store,
    name: 'left',
    key: ({ id }) => id,
    giveUpAfter: '10m',
    stages: { only: { schema: z.object({ id: z.string() }), queueUrl: to.queueUrl } },
  })
  const dies = flow.stageHandler('only', () => {
    resolve()
    return new Promise(() => {})
  })
  const context = { getRemainingTimeInMillis: () => 20_000 } as Context
  void dies(sqsEvent(sqsRecord({ id: 'run' }, { sentAt: anHourAgo.now() })), context)
  await begun
}

/** Calls the deployed sweeper, which the schedule calls too. @throws Error when one of its items has failed */
export async function sweep(endpoint: string): Promise<void> {
  const lambda = new LambdaClient({ endpoint, region: REGION, credentials: ROOT_KEY })
  const { Payload, LogResult } = await lambda.send(
    new InvokeCommand({ FunctionName: 'lineclear-dev-sweeper', LogType: 'Tail' }),
  )
  lambda.destroy()
  const report = Buffer.from(Payload ?? []).toString()
  if ((JSON.parse(report) as { failed: unknown }).failed === 0) return
  throw new Error(`${report}\n${Buffer.from(LogResult ?? '', 'base64').toString()}`)
}
