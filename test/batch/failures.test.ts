import type { SQSClient } from '@aws-sdk/client-sqs'
import type { SQSRecord } from 'aws-lambda'
import {
  recordHandler,
  type RecordHandlerOptions,
  RejectedError,
  RetryableError,
  TerminalError,
  UnknownOutcomeError,
} from 'lineclear'
import { fakeClock, memoryStore } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { queueArnOf, queueUrlOf } from '../../src/testing/crashes/places.ts'
import { attributeOf, type Letter, put, receive, sendBack } from '../../src/testing/crashes/sqs.ts'
import { openPost } from '../random/post.ts'
import { lambdaContext } from './lambdaContext.ts'
import { quietLogger } from './quietLogger.ts'

const [MINUTE, HOUR] = [60_000, 3_600_000]

/** One consumer of a queue, whose messages are handed out by the test. */
function consumerOf(
  work: () => unknown,
  options: Partial<RecordHandlerOptions> & { readonly queue?: string } = {},
) {
  const { queue: name = 'orders', ...given } = options
  const fifo = name.endsWith('.fifo') ? '.fifo' : ''
  const [clock, store] = [fakeClock(), memoryStore()]
  const post = openPost(() => clock.now())
  const queue = post.queue(name)
  const dead = post.queue(`dead-letters${fifo}`)
  const common = { name: 'orders', store, clock, logger: quietLogger() }
  const sqs = post.client as SQSClient
  const handler = recordHandler({ ...common, sqs, ...given }, work)
  const send = (body: string): Letter =>
    put(queue, { body, attributes: {}, groupId: 'g' }, clock.now())
  /** @returns whether it stays */
  const deliver = async (letter: Letter, change: Partial<SQSRecord['attributes']> = {}) => {
    const record = receive(queue, letter, clock.now(), queueArnOf(name))
    const Records = [{ ...record, attributes: { ...record.attributes, ...change } }]
    const { batchItemFailures } = await handler({ Records }, lambdaContext())
    if (batchItemFailures.length === 0)
      queue.letters = queue.letters.filter((each) => each !== letter)
    return batchItemFailures.length > 0
  }
  const reasons = (): unknown[] => dead.letters.map(({ message }) => carriedBy(message).reason)
  return { clock, store, queue, dead, send, deliver, reasons }
}

function carriedBy(message: Letter['message']): { readonly reason?: string } {
  return JSON.parse(attributeOf(message, 'lineclear') ?? '{}') as object
}

describe('what a handler throws', () => {
  it.each([
    ['unknown', new UnknownOutcomeError('did it?')],
    ['terminal', new TerminalError('never')],
    ['rejected', new RejectedError('not this')],
  ])('%s is dead-lettered at once, with that reason', async (reason, error) => {
    const { send, deliver, reasons } = consumerOf(() => Promise.reject(error))
    expect(await deliver(send('{}'))).toBe(false)
    expect(reasons()).toEqual([reason])
  })

  it('that asks for a time when it would be too old is dead-lettered', async () => {
    const later = new RetryableError('later', { retryAfter: 2 * HOUR })
    const retry = { maxAge: '1h' } as const
    const { send, deliver, reasons } = consumerOf(() => Promise.reject(later), { retry })
    expect(await deliver(send('{}'))).toBe(false)
    expect(reasons()).toEqual(['too old'])
  })
})

describe('a retry', () => {
  it('of 20 minutes is a copy of 15, the most that SQS takes, and not run before its time', async () => {
    let runs = 0
    const { clock, queue, send, deliver } = consumerOf(
      () => {
        runs += 1
        throw new Error('again')
      },
      { retry: { delay: () => 20 * MINUTE } },
    )
    await deliver(send('{}'))
    const [copy] = queue.letters
    if (copy === undefined) throw new Error('no copy')
    expect(copy.message.delaySeconds).toBe(900)
    clock.advance(15 * MINUTE)
    expect(await deliver(copy)).toBe(true)
    expect([runs, copy.visibleAt - clock.now()]).toEqual([1, expect.any(Number)])
    expect(copy.visibleAt).toBeGreaterThanOrEqual(clock.now() + 4 * MINUTE)
    clock.advance(6 * MINUTE)
    await deliver(copy)
    expect(runs).toBe(2)
  })

  it('of 20 hours by visibility waits for 12, the most that SQS takes', async () => {
    const later = new RetryableError('later', { retryAfter: 20 * HOUR })
    const { clock, send, deliver } = consumerOf(() => Promise.reject(later), {
      retry: { transport: 'visibility' },
    })
    const letter = send('{}')
    expect(await deliver(letter)).toBe(true)
    const waits = letter.visibleAt - clock.now()
    expect(waits).toBeLessThanOrEqual(12 * HOUR)
    expect(waits).toBeGreaterThan(11 * HOUR)
  })

  it('by visibility does not come back at once when 12 hours since its first receipt are over', async () => {
    const later = new RetryableError('later', { retryAfter: 5 * HOUR })
    const { clock, send, deliver } = consumerOf(() => Promise.reject(later), {
      retry: { transport: 'visibility' },
    })
    const letter = send('{}')
    const first = String(clock.now() - 13 * HOUR)
    await deliver(letter, { ApproximateFirstReceiveTimestamp: first })
    expect(letter.visibleAt - clock.now()).toBe(5 * HOUR)
  })
})

describe('a dead letter', () => {
  it('that does not fit into a message stays on its queue, and is not taken for sent', async () => {
    const never = new TerminalError('never')
    const { store, send, deliver, dead } = consumerOf(() => Promise.reject(never))
    expect(await deliver(send(`"${'x'.repeat(1_048_570)}"`))).toBe(true)
    expect(dead.letters).toEqual([])
    expect(store.items()).toMatchObject([{ status: 'dying' }])
  })

  it('of a second death on a FIFO queue is no duplicate of the first', async () => {
    const never = new TerminalError('never')
    const { clock, queue, dead, send, deliver } = consumerOf(() => Promise.reject(never), {
      queue: 'orders.fifo',
      deadLetterQueueUrl: queueUrlOf('dead-letters.fifo'),
    })
    expect(await deliver(send('{}'))).toBe(false)
    const [back] = sendBack(dead, queue, clock.now())
    if (back === undefined) throw new Error('no letter')
    expect(await deliver(back)).toBe(false)
    expect(dead.letters).toHaveLength(1)
  })
})
