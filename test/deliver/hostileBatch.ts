import { recordHandler } from 'lineclear'
import { memoryCloud, sqsRecord } from 'lineclear/testing'
import { wrapCompressed } from '../../src/library/protocol/record/envelope/wrapper.ts'
import { lambdaContext } from './lambdaContext.ts'

/** A message of about 1 KB whose content is 1 MiB long, and takes twenty times as much when it is parsed. */
const bomb = wrapCompressed(`[${'{},'.repeat(349_000)}1]`, {})
const longer = wrapCompressed('x'.repeat(8_000_000), {})
const attributes = { lineclear: '{"format":1,"wrapped":true,"resendNumber":0,"hops":0}' }

const cloud = memoryCloud({ queues: { work: {}, dead: {} } })
const { store, clients, clock } = cloud
const queueArn = cloud.queueArn('work')
let ran = 0
const handler = recordHandler(
  {
    name: 'orders',
    store,
    clients,
    clock,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    queueUrl: cloud.queueUrl('work'),
    deadLetterQueueUrl: cloud.queueUrl('dead'),
    concurrency: 2,
  },
  (payload) => {
    ran += 1
    if (Array.isArray(payload)) throw new Error('not what was expected')
  },
)
const hostile = Array.from({ length: 60 }, (_, nth) =>
  sqsRecord(nth % 2 === 0 ? bomb : longer, { attributes, messageId: `bad-${nth}`, queueArn }),
)
const Records = [...hostile, sqsRecord({ good: 1 }, { messageId: 'good', queueArn })]
const answer = await handler({ Records }, lambdaContext())
const kept = answer.batchItemFailures.length
process.stdout.write(
  JSON.stringify({ bytes: bomb.length, ran, kept, dead: cloud.messages('dead').length }),
)
