import type { SQSClient } from '@aws-sdk/client-sqs'
import { expect, it } from 'vitest'
import { buildMessage } from '../../src/library/protocol/record/envelope/buildMessage.ts'
import { put } from '../../src/testing/queues/simulatedQueue.ts'
import { consumerOf } from './consumerOf.ts'

const fails = (): never => {
  throw new Error('no')
}

it('a message stays on its queue when the copy for its retry was not accepted', async () => {
  const sqs = { send: () => Promise.reject(new Error('down')) } as unknown as SQSClient
  const { send, deliver, settled } = consumerOf(fails, { clients: { sqs } })
  expect(await deliver(send('{}'))).toBe(true)
  expect(settled).toMatchObject([{ kind: 'retrying' }])
})

it('a forged number of a copy does not make its retries look replaced', async () => {
  let runs = 0
  const { deliver, queue, clock } = consumerOf(() => {
    runs += 1
    if (runs === 1) fails()
  })
  const stamp = { uniqueRequestId: 'r', resendNumber: 1_000_000, hops: 0, sentAt: clock.now() }
  await deliver(put(queue, buildMessage('{}', {}, stamp), clock.now()))
  clock.advance(60_000)
  await deliver(queue.messages)
  expect([runs, queue.messages]).toEqual([2, []])
})

it('a batch fails as a whole where the mapping ignores the response, and what has ended is deleted', async () => {
  const { send, deliver, queue } = consumerOf((payload) => (payload === 1 ? fails() : undefined), {
    reportBatchItemFailures: false,
    retry: { transport: 'visibility' },
  })
  const [bad, good] = [send('1'), send('2')]
  await expect(deliver([bad, good])).rejects.toMatchObject({ code: 'RETRYABLE' })
  expect(queue.messages).toEqual([bad])
})
