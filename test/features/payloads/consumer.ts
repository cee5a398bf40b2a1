import type { SQSClient } from '@aws-sdk/client-sqs'
import type { RecordContext, HandlerResult } from 'lineclear'
import { producer } from 'lineclear'
import { type MemoryObjects, memoryObjects } from 'lineclear/testing'
import { decodePacked } from '../../../src/library/protocol/record/envelope/lineclearAttributes.ts'
import { memoryQueueUrl } from '../../../src/testing/queues/description.ts'
import { attributeOf, type SimulatedMessage } from '../../../src/testing/queues/simulatedQueue.ts'
import { consumerOf } from '../../deliver/consumerOf.ts'

export const MIB = 1_048_576
/** Larger than a message. */
export const LARGE = { text: 'ä€😀'.repeat(200_000) }

type Work = (payload: unknown, ctx: RecordContext) => HandlerResult
type Given = Parameters<typeof consumerOf>[1]

/** A consumer and a producer that keep large payloads in one place. */
export function consumerWithPayloads(
  work: Work,
  given: Given & { readonly kept?: MemoryObjects } = {},
) {
  const { kept: offload = memoryObjects(), ...options } = given
  const consumer = consumerOf(work, { offload, ...options })
  const { clock, queue, queueDouble } = consumer
  const sqs = queueDouble.client as SQSClient
  const sender = producer({
    clients: { sqs },
    offload,
    clock: { ...clock, sleep: async () => {} },
  })
  const url = memoryQueueUrl(given.queue ?? 'orders')
  const groupId = url.endsWith('.fifo') ? { groupId: 'g' } : {}
  /** Sends a large payload as a producer does. */
  const sendLarge = async (payload: unknown = LARGE): Promise<SimulatedMessage> => {
    await sender.send(url, payload, { uniqueRequestId: 'r', maxBytes: 1_000, ...groupId })
    const sent = queue.messages.at(-1)
    if (sent === undefined) throw new Error('nothing was sent')
    return sent
  }
  return { ...consumer, offload, sender, sendLarge }
}

export function carriedBy(message: SimulatedMessage | undefined) {
  const value = message && attributeOf(message.message, 'lineclear')
  if (value === undefined) throw new Error('no attributes of Lineclear')
  const packed = decodePacked({ type: 'String', value }, Date.now(), () => {})
  if (packed instanceof Error) throw packed
  return packed
}
