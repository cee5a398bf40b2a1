import { producer } from 'lineclear'
import { memoryObjects, type MemoryObjects } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import type { SQSClient } from '@aws-sdk/client-sqs'
import { memoryQueueUrl } from '../../../src/testing/queues/description.ts'
import { consumerOf } from '../../deliver/consumerOf.ts'
import { MIB } from './consumer.ts'

const BYTES = 4 * MIB
const READ_AHEAD = 32 * MIB

/** A consumer whose payloads have 4 MiB each, as their messages say, and the most of them that were read and not yet handled. */
function consumer(concurrency: number, hang = 0) {
  const kept = memoryObjects()
  const seen = { reads: 0, held: 0, most: 0, handled: 0 }
  const offload: MemoryObjects = {
    ...kept,
    move: (payload) => {
      const moved = kept.move(payload)
      return { ...moved, carried: { ...moved.carried, bytes: BYTES } }
    },
    read: async () => {
      seen.reads += 1
      seen.held += 1
      seen.most = Math.max(seen.most, seen.held)
      return '"read"'
    },
  }
  const opened = consumerOf(
    async () => {
      await new Promise(setImmediate)
      seen.held -= 1
      seen.handled += 1
      if (seen.handled <= hang) await new Promise(() => {})
    },
    { offload, concurrency, ...(hang > 0 && { left: 1_200 }) },
  )
  const sender = producer({ clients: { sqs: opened.queueDouble.client as SQSClient }, offload })
  const text = 'x'.repeat(2_000)
  const send = async (count: number, idOf = (nth: number): string => `r${nth}`): Promise<void> => {
    for (let nth = 0; nth < count; nth++) {
      await sender.send(memoryQueueUrl('orders'), text, {
        uniqueRequestId: idOf(nth),
        maxBytes: 1_000,
      })
    }
  }
  const deliverAll = (): Promise<boolean> => opened.deliver([...opened.queue.messages])
  return { ...opened, seen, send, deliverAll }
}

describe('payloads that are kept outside their messages', () => {
  it.each([1, 4])(
    'are read ahead up to 32 MiB, beside those of %i handlers',
    async (concurrency) => {
      const { seen, send, deliverAll } = consumer(concurrency)
      await send(20)
      expect(await deliverAll()).toBe(false)
      expect(seen).toMatchObject({ reads: 20, handled: 20, held: 0 })
      expect(seen.most).toBeGreaterThan(concurrency)
      expect(seen.most * BYTES).toBeLessThanOrEqual(READ_AHEAD + concurrency * BYTES)
    },
  )

  it('do not wait in memory for an earlier record with the same id: they are read again', async () => {
    const { seen, send, deliverAll, settled } = consumer(1)
    await send(3, () => 'same')
    expect(await deliverAll()).toBe(false)
    expect(seen).toMatchObject({ reads: 5, handled: 1 })
    expect(settled).toMatchObject([{ kind: 'completed' }, {}, {}])
  })
  it('do not wait in memory for records whose last attempt ended silently: they are read again', async () => {
    const { seen, send, deliverAll, clock } = consumer(3, 3)
    await send(3)
    expect(await deliverAll()).toBe(true)
    expect(seen).toMatchObject({ reads: 3, handled: 3 })
    clock.advance(3_600_000)
    expect(await deliverAll()).toBe(false)
    expect(seen).toMatchObject({ reads: 9, handled: 6 })
  })
})
