import { SendMessageCommand } from '@aws-sdk/client-sqs'
import type { Context, SQSEvent } from 'aws-lambda'
import { tableDefinition } from 'lineclear/dynamodb'
import { mapQueue, startLocalCloud } from 'lineclear/local'
import { z } from 'zod'
import { type Keep, stopAtEnd } from '../keep.ts'
import { FAULTS, untilQuiet } from '../quiet.ts'
import { sign } from '../provider-webhook/signature.ts'
import { rowsOf } from '../rows.ts'

export interface CallbackResult {
  readonly trips: number
  /** Answers that the airline gave, by message and by webhook, doubles included. */
  readonly answers: number
  readonly offers: number
  /** Offers that were made more than once. */
  readonly doubled: number
  /** Offers without an answer: the airline never gave one. */
  readonly timedOut: number
}

const QUEUE = { visibilityTimeout: 18, deadLetter: { queue: 'dead', maxReceiveCount: 100 } }
const NEVER = 10
const SECRET = 'the-secret-that-the-airline-signs-with'
const Question = z.object({ searchId: z.string(), tripId: z.string() })

/** Every tenth trip gets no answer; the others get theirs by message or by webhook, some of them twice. */
export async function run(
  trips: number,
  say: (line: string) => void,
  keep: Keep = stopAtEnd,
): Promise<CallbackResult> {
  await using cloud = await startLocalCloud({
    queues: { search: QUEUE, found: QUEUE, offer: QUEUE, airline: QUEUE, dead: {} },
    tables: { lineclear: tableDefinition(), offers: { hash: 'tripId' } },
  })
  Object.assign(process.env, cloud.environment, {
    SEARCH_QUEUE: cloud.queueUrl('search'),
    FOUND_QUEUE: cloud.queueUrl('found'),
    OFFER_QUEUE: cloud.queueUrl('offer'),
    AIRLINE_QUEUE: cloud.queueUrl('airline'),
    WEBHOOK_SECRETS: JSON.stringify({ current: SECRET }),
  })
  const { trip, search, found, offer } = await import('./handler.ts')
  const { webhook } = await import('./webhook.ts')
  let answers = 0
  const answer = async ({ searchId, tripId }: z.infer<typeof Question>): Promise<void> => {
    const number = Number(/\d+$/.exec(tripId))
    if (number % NEVER === 0) return
    const body = JSON.stringify({ searchId, price: number })
    answers += 1
    if (number % 2 === 0)
      await webhook({ body, headers: sign(body, SECRET, Date.now()) }, {} as Context)
    else {
      const QueueUrl = cloud.queueUrl('found')
      await cloud.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: body }))
    }
  }
  const airline = async ({ Records }: SQSEvent): Promise<{ batchItemFailures: [] }> => {
    for (const { body } of Records) {
      await answer(Question.parse(JSON.parse(body)))
    }
    return { batchItemFailures: [] }
  }
  const common = { cloud, functionTimeout: '3s', faults: FAULTS } as const
  const mappings = [
    mapQueue({ ...common, queue: 'search', handler: search }),
    mapQueue({ ...common, queue: 'found', handler: found }),
    mapQueue({ ...common, queue: 'offer', handler: offer }),
    mapQueue({ cloud, queue: 'airline', handler: airline, faults: { duplicate: 0.3 } }),
  ]
  say(`${trips} trips ask an airline that answers late, twice, or not at all …`)
  for (let number = 1; number <= trips; number++)
    await trip.start({ tripId: `trip-${number}`, askedAt: Date.now() })
  await untilQuiet(mappings)

  const rows = await rowsOf(cloud, 'offers')
  const result = {
    trips,
    answers,
    offers: rows.length,
    doubled: rows.filter(({ made }) => made !== 1).length,
    timedOut: rows.filter(({ price }) => price === 0).length,
  }
  say(
    `${answers} answers: ${result.offers} offers, ${result.doubled} of them made twice, ${result.timedOut} without an answer in time.`,
  )
  await keep(cloud)
  return result
}
