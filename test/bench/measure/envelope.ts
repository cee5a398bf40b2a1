import type { SQSRecord } from 'aws-lambda'
import { snsWrapped, sqsRecord } from 'lineclear/testing'
import { readEnvelope } from '../../../src/record/envelope/readEnvelope.ts'
import { readMessage } from '../../../src/record/message/readMessage.ts'
import type { Effort } from '../effort.ts'
import { orderOf } from '../events.ts'
import { alternate, median } from '../statistics.ts'

/** From record to payload, above a handler that parses by itself: microseconds per record. */
export interface EnvelopeWork {
  readonly source: 'direct' | 'sns'
  readonly microseconds: number
}

const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:orders'
const RECORDS = 2_000
const PAYLOAD_BYTES = 1_024

export async function measureEnvelope({ rounds }: Effort): Promise<readonly EnvelopeWork[]> {
  return [
    await measure('direct', () => sqsRecord(orderOf(PAYLOAD_BYTES)), JSON.parse, rounds),
    await measure(
      'sns',
      () => snsWrapped(orderOf(PAYLOAD_BYTES), { topicArn: TOPIC }),
      parseTwice,
      rounds,
    ),
  ]
}

function parseTwice(body: string): unknown {
  const { Message } = JSON.parse(body) as { Message: string }
  return JSON.parse(Message)
}

async function measure(
  source: EnvelopeWork['source'],
  make: () => SQSRecord,
  parse: (body: string) => unknown,
  rounds: number,
): Promise<EnvelopeWork> {
  const records = Array.from({ length: RECORDS }, make)
  const bare = cpuOf(records, ({ body }) => parse(body))
  const ours = cpuOf(records, read)
  await alternate(5, [
    ['bare', bare],
    ['ours', ours],
  ])
  const samples = await alternate(3 * rounds, [
    ['bare', bare],
    ['ours', ours],
  ])
  const alone = samples.get('bare') ?? []
  const above = (samples.get('ours') ?? []).map(
    (value, round) => value - (alone[round] ?? Number.NaN),
  )
  return { source, microseconds: median(above) }
}

function read(record: SQSRecord): unknown {
  const now = Date.now()
  const envelope = readEnvelope(record, { topics: [TOPIC], now })
  const age = { maxAge: Number.POSITIVE_INFINITY, retention: Number.POSITIVE_INFINITY }
  return readMessage(record, envelope, {
    form: 'json',
    schema: undefined,
    idOf: undefined,
    ...age,
    now,
  })
}

function cpuOf(
  records: readonly SQSRecord[],
  work: (record: SQSRecord) => unknown,
): () => Promise<number> {
  return async () => {
    const start = process.cpuUsage()
    for (const record of records) work(record)
    const { user, system } = process.cpuUsage(start)
    return (user + system) / records.length
  }
}
