import { recordHandler, type RecordHandlerOptions, type Settlement, snsTopic } from 'lineclear'
import type { SQSRecord } from 'aws-lambda'
import { type LocalCloud, startLocalCloud } from 'lineclear/local'
import { memoryStore, sqsRecord } from 'lineclear/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isAcknowledged } from '../../../src/library/protocol/claim/settlement.ts'
import type { Envelope } from '../../../src/library/protocol/record/envelope/envelope.ts'
import type { Message } from '../../../src/library/protocol/record/message/message.ts'
import { takeAll } from '../badInput/takeAll.ts'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { withoutSdk } from '../../testing/withoutSdk.ts'
import { assertUnpolluted, PATIENCE, settings } from './settings.ts'
import { hostileRecord, payloadsIn, TOPIC, VICTIM } from './values.ts'

let cloud: LocalCloud
beforeAll(async () => {
  const queues = { work: {}, dead: {} }
  cloud = withoutSdk(await startLocalCloud({ queues }, { logger: quietLogger() }))
})
afterAll(() => cloud.stop())

interface Run {
  readonly payload: unknown
  readonly envelope: Envelope
}
interface End {
  readonly settlement: Settlement
  readonly message: Message<unknown> | undefined
}

async function play(records: readonly SQSRecord[], options: Partial<RecordHandlerOptions>) {
  const [runs, ends]: [Run[], End[]] = [[], []]
  const handler = recordHandler(
    {
      name: 'orders',
      store: memoryStore(),
      logger: quietLogger(),
      envelopes: [snsTopic(TOPIC)],
      clients: { sqs: cloud.sqs },
      queueUrl: cloud.queueUrl('work'),
      deadLetterQueueUrl: cloud.queueUrl('dead'),
      onSettled: (settlement, message) => ends.push({ settlement, message }),
      ...options,
    },
    (payload, { envelope }) => runs.push({ payload, envelope }),
  )
  const answer = await handler({ Records: [...records] }, lambdaContext())
  return { runs, ends, kept: answer.batchItemFailures }
}

it(
  'whatever is in a batch: nothing is thrown, each record ends once, and good ones run once',
  async () => {
    const seen = new Map<string, number>()
    const good = [sqsRecord({ good: 1 }, { messageId: VICTIM }), sqsRecord({ good: 2 })]
    const parse = fc.constantFrom<'json' | 'text'>('json', 'json', 'text')
    await fc.assert(
      fc.asyncProperty(fc.array(hostileRecord, { maxLength: 8 }), parse, async (bad, form) => {
        await takeAll(cloud, 'dead')
        const batch = [...good.slice(0, 1), ...bad, ...good.slice(1)]
        const { runs, ends, kept } = await play(batch, { parse: form })
        expect(ends).toHaveLength(batch.length)
        expect(new Set(runs.map(({ envelope }) => envelope)).size).toBe(runs.length)
        for (const run of runs) checkPayload(run, batch, form)
        for (const { body } of good) {
          expect(runs.filter(({ envelope }) => envelope.body === body)).toHaveLength(1)
        }
        const stays = ends.filter(({ settlement }) => !isAcknowledged(settlement))
        expect(kept).toHaveLength(stays.length)
        await checkLetters(ends)
        for (const { settlement } of ends) {
          seen.set(settlement.kind, (seen.get(settlement.kind) ?? 0) + 1)
        }
        assertUnpolluted()
      }),
      settings(200),
    )
    // The values reach every part of the way.
    expect([...seen.keys()]).toEqual(
      expect.arrayContaining(['completed', 'deadLettered', 'failed']),
    )
  },
  PATIENCE,
)

/** The payload is that of one of the records, as the envelope reads it. */
function checkPayload({ payload, envelope }: Run, batch: readonly SQSRecord[], form: string): void {
  expect(batch.some(({ body }) => payloadsIn(body).includes(envelope.body))).toBe(true)
  const expected: unknown = form === 'text' ? envelope.body : JSON.parse(envelope.body)
  expect(JSON.stringify(payload)).toBe(JSON.stringify(expected))
}

/** Every dead letter has the bytes that it had as a message. */
async function checkLetters(ends: readonly End[]): Promise<void> {
  const dead = ends.filter(({ settlement }) => settlement.kind === 'deadLettered')
  const deadLetters = await takeAll(cloud, 'dead')
  expect(deadLetters).toHaveLength(dead.length)
  const bodies = new Set(deadLetters.flatMap((deadLetter) => deadLetter.bodies.flatMap(payloadsIn)))
  for (const { message } of dead) expect(bodies.has(message?.envelope.body)).toBe(true)
}
