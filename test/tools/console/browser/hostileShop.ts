import { SendMessageCommand } from '@aws-sdk/client-sqs'
import {
  lockTokens,
  recordHandler,
  TerminalError,
  UnknownOutcomeError,
  defineFlow,
} from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { type LocalCloud, mapQueue, type QueueHandler } from 'lineclear/local'
import { z } from 'zod'
import { systemClock } from '../../../../src/library/base/clock.ts'
import { beginAudit } from '../../../../src/library/entries/sweeper/audit/auditRow.ts'
import { writePause } from '../../../../src/library/entries/sweeper/pause/pauseRow.ts'
import { quietLogger } from '../../../deliver/quietLogger.ts'
import { CORPUS } from './corpus.ts'

const TABLE = 'lineclear'
const Hostile = z.object({ id: z.string(), nth: z.number() }).loose()
/** SQS takes no other control characters, and no halves of pairs. */
const NOT_SENT = /(?![\n\r\t])\p{Cc}/gu

/** Everything in it that a stranger or an operator can write is a text of the corpus. */
export async function plantHostile(cloud: LocalCloud): Promise<void> {
  const { sqs, dynamodb } = cloud
  const store = dynamoDbStore({ tableName: TABLE, client: dynamodb, clock: systemClock })
  const options = { store, clients: { sqs }, clock: systemClock, logger: quietLogger() }
  const of = (text: string): string => text.replaceAll(NOT_SENT, '?').toWellFormed()

  const fails = recordHandler(
    { name: 'fails', ...options, schema: Hostile, id: ({ id }) => id },
    async ({ nth }, ctx) => {
      const text = CORPUS[nth] ?? ''
      await ctx.call(`call ${text}`.slice(0, 200), async () => text)
      throw thrown(TerminalError, text)
    },
  )
  const unknown = recordHandler(
    { name: 'unknown', ...options, schema: Hostile, id: ({ id }) => id },
    async ({ nth }) => {
      throw thrown(UnknownOutcomeError, CORPUS[nth] ?? '')
    },
  )
  const flow = defineFlow({
    name: 'flow',
    ...options,
    key: ({ id }) => id,
    stages: { begin: { schema: Hostile, queueUrl: cloud.queueUrl('ship'), final: true } },
    awaitingSteps: {
      answered: {
        schema: Hostile,
        id: ({ id }) => id,
        queueUrl: cloud.queueUrl('quotes'),
      },
    },
  })
  const begin = flow.stageHandler('begin', async ({ id }, ctx) => {
    await ctx.awaitStep('answered', id, async () => {})
  })

  const send = (queue: string) =>
    Promise.all(
      CORPUS.map((text, nth) =>
        sqs.send(
          new SendMessageCommand({
            QueueUrl: cloud.queueUrl(queue),
            MessageBody: JSON.stringify({
              id: text,
              nth,
              [text]: text,
              deep: [[{ [text]: [text] }]],
            }),
            MessageAttributes: { note: { DataType: 'String', StringValue: of(text) } },
          }),
        ),
      ),
    )
  const run = async (queue: string, handler: QueueHandler): Promise<void> => {
    await send(queue)
    const mapping = mapQueue({ cloud, queue, handler, logger: options.logger })
    await mapping.drained({ timeout: 60_000 })
    await mapping.stop()
  }
  await Promise.all([run('book', fails), run('pay', unknown), run('ship', begin)])

  const locks = lockTokens<string>({ store, name: 'locks', clock: systemClock })
  for (const [nth, text] of CORPUS.entries()) {
    const known = text.toWellFormed().slice(0, 500)
    await locks.begin(`lock ${known}`, `owner ${known}`, 3_600_000)
    const row = writePause({
      id: `pause-${nth}`,
      mapping: `00000000-0000-4000-8000-${String(nth).padStart(12, '0')}`,
      state: 'paused',
      queue: cloud.queueArn('book'),
      function: 'arn:aws:lambda:us-east-1:000000000000:function:orders',
      names: { consumer: of(text), dependency: of(text) },
      by: of(text),
      why: of(text),
      since: systemClock.now(),
      until: undefined,
    })
    const [written] = await store.create([row])
    const entry = { by: text, why: text, action: text, id: text, plan: '7f3a91c2', command: text }
    const end = await beginAudit(store, entry, systemClock.now())
    await end(text)
    if (written?.kind !== 'applied') throw new Error(`not written: ${JSON.stringify(written)}`)
  }
}

function thrown(Kind: new (message: string) => Error, text: string): Error {
  const error = new Kind(text)
  error.stack = `${Kind.name}: ${text}\n    at ${text} (/var/task/${text}:1:2)`
  error.cause = Object.assign(new Error(text), { name: text })
  return error
}
