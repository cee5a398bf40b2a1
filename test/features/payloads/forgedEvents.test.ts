import { eventBridge, s3Events } from 'lineclear'
import { eventBridgeEvent, s3Notification } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { put } from '../../../src/testing/queues/simulatedQueue.ts'
import { memoryObjects } from 'lineclear/testing'
import { consumerWithPayloads } from './consumer.ts'

const GENUINE = JSON.stringify(
  eventBridgeEvent({ orderId: 'o-1' }, { source: 'my.shop', detailType: 'Placed', id: 'e-1' }),
)
const uploads = s3Events({ buckets: ['my-uploads'] })

/** Says that its payload is kept elsewhere, in a body of the sender's choice. */
async function forged(body: string, payload: string) {
  const offload = memoryObjects()
  const { carried, store } = offload.move(payload)
  await store()
  const lineclear = JSON.stringify({ format: 1, resendNumber: 0, hops: 0, payload: carried })
  const message = {
    body,
    attributes: { lineclear: { DataType: 'String', StringValue: lineclear } },
  }
  return { offload, message }
}

it('an event in the body of a message whose payload is elsewhere lends it no identity', async () => {
  const ran: unknown[] = []
  const { offload: kept, message } = await forged(GENUINE, JSON.stringify({ orderId: 'forged' }))
  const { queue, clock, deliver, send, reasons } = consumerWithPayloads(
    (payload) => void ran.push(payload),
    { kept, envelopes: [eventBridge({ accounts: 'any' })] },
  )
  await deliver(put(queue, message, clock.now()))
  await deliver(send(GENUINE))
  expect(ran).toEqual([{ orderId: 'forged' }, { orderId: 'o-1' }])
  expect(reasons()).toEqual([])
})

it.each([
  ['a test event', { Service: 'Amazon S3', Event: 's3:TestEvent', Bucket: 'my-uploads' }],
  [
    'several events',
    { Records: ['a', 'b'].flatMap((key) => s3Notification({ bucket: 'my-uploads', key }).Records) },
  ],
  [
    'an event that is refused',
    { Records: [{ eventSource: 'aws:s3', s3: { bucket: { name: 'my-uploads' } } }] },
  ],
])('%s in such a body is not taken for the payload', async (_what, body) => {
  const ran: unknown[] = []
  const { offload: kept, message } = await forged(JSON.stringify(body), '{"a":1}')
  const { queue, clock, deliver, reasons } = consumerWithPayloads(
    (payload) => void ran.push(payload),
    {
      kept,
      envelopes: [uploads],
    },
  )
  await deliver(put(queue, message, clock.now()))
  expect(ran).toEqual([{ a: 1 }])
  expect(reasons()).toEqual([])
  expect(queue.messages).toHaveLength(0)
})
