import { SendMessageCommand } from '@aws-sdk/client-sqs'
import type { Context, SQSEvent } from 'aws-lambda'
import { z } from 'zod'
import { sign } from '../../../../examples/provider-webhook/signature.ts'
import { rowsOf } from '../../../../examples/rows.ts'
import { started, type Course, type Place } from './course.ts'

const Question = z.object({ searchId: z.string(), tripId: z.string() })
const NEVER = 10
/** One for all webhooks: the examples run in one process here. */
const SECRET = 'the-secret-that-the-provider-signs-with'

/** Every tenth trip gets no answer; the others by message or by webhook, and asked twice the airline answers twice. */
export async function trips({ cloud, mark, count, example }: Place): Promise<Course> {
  process.env['WEBHOOK_SECRETS'] = JSON.stringify({ current: SECRET })
  const exported = await example(
    'external-callback/handler.ts',
    import('../../../../examples/external-callback/handler.ts'),
  )
  const { trip, search, found, offer } = exported
  const { webhook } = await example(
    'external-callback/webhook.ts',
    import('../../../../examples/external-callback/webhook.ts'),
  )
  const answer = async ({ searchId, tripId }: z.infer<typeof Question>): Promise<void> => {
    const number = Number(/\d+$/.exec(tripId))
    if (number % NEVER === 0) return
    const body = JSON.stringify({ searchId, price: number })
    const QueueUrl = cloud.queueUrl('found')
    if (number % 2 === 0)
      await webhook({ body, headers: sign(body, SECRET, Date.now()) }, {} as Context)
    else await cloud.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: body }))
  }
  const airline = async ({ Records }: SQSEvent): Promise<{ batchItemFailures: [] }> => {
    for (const { body } of Records) await answer(Question.parse(JSON.parse(body)))
    return { batchItemFailures: [] }
  }
  return {
    handlers: { search, found, offer, airline },
    async send() {
      for (let number = 1; number <= count; number++) {
        const asked = { tripId: `${mark}-${number}`, askedAt: Date.now() }
        await started((as) => trip.start(asked, as))
      }
    },
    async books() {
      const offers = (await rowsOf(cloud, 'offers')).filter(({ tripId }) =>
        String(tripId).startsWith(`${mark}-`),
      )
      const unasked = offers.filter(({ tripId }) => Number(/\d+$/.exec(`${tripId}`)) % NEVER === 0)
      return {
        wanted: { trips: count, offers: count, unanswered: Math.floor(count / NEVER) },
        had: {
          trips: offers.length,
          offers: offers.reduce((sum, { made }) => sum + Number(made), 0),
          unanswered: unasked.filter(({ price }) => price === 0).length,
        },
      }
    },
  }
}
