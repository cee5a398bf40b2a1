import { describe, expect, it } from 'vitest'
import type { RecordContext } from '../../src/library/run/context/context.ts'
import { type Attempt, attemptOf, idOf, letterbox, NOW, store as openStore } from './attemptOf.ts'

const QUEUE = 'https://sqs.eu-west-1.amazonaws.com/123456789012/next'
const OTHER = `${QUEUE}-other`
const FIFO = `${QUEUE}.fifo`
const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:paid'

const tooLong = 'x'.repeat(262_144)

type Sends = (ctx: RecordContext) => Promise<unknown>

/** What one attempt sends, in the order of sending. */
async function sent(
  sends: Sends,
  consumer?: string,
): Promise<{ target: string; id: string | undefined }[]> {
  const attempt = await attemptOf(openStore(), 'first', undefined, consumer)
  await sends(attempt.ctx)
  const box = letterbox()
  await attempt.outbox.flush(box)
  return box.sent.map(({ target, message }) => ({ target, id: idOf(message) }))
}

describe('the id of what is sent', () => {
  it('is the same in every attempt, and returned to the handler', async () => {
    const ids: string[] = []
    const sends: Sends = async (ctx) => {
      ids.push((await ctx.send(QUEUE, { a: 1 })).uniqueRequestId)
    }
    const [first] = await sent(sends)
    const [second] = await sent(sends)
    expect(ids).toEqual([first?.id, second?.id])
    expect(first).toEqual(second)
  })

  it('differs by target, by number, by name, by way and by consumer', async () => {
    const all = await sent(async (ctx) => {
      await ctx.send(QUEUE, 1)
      await ctx.send(QUEUE, 1)
      await ctx.send(QUEUE, 1, { name: 'a' })
      await ctx.send(OTHER, 1)
      await ctx.publish(TOPIC, 1)
    })
    const others = await sent((ctx) => ctx.send(QUEUE, 1), 'billing')
    const ids = [...all, ...others].map(({ id }) => id)
    expect(new Set(ids).size).toBe(6)
  })

  it('by name it does not depend on the order of the calls', async () => {
    const names = ['a', 'b', 'c']
    const inOrder = await sent(async (ctx) => {
      for (const name of names) await ctx.send(QUEUE, name, { name })
    })
    const reversed = await sent(async (ctx) => {
      for (const name of names.toReversed()) await ctx.send(QUEUE, name, { name })
    })
    expect(reversed.toReversed()).toEqual(inOrder)
  })

  it('a name is accepted once for each target', async () => {
    const { ctx } = await attemptOf(openStore(), 'first')
    await ctx.send(QUEUE, 1, { name: 'a' })
    await expect(ctx.send(QUEUE, 1, { name: 'a' })).rejects.toMatchObject({ code: 'CONFIG' })
    await expect(ctx.send(OTHER, 1, { name: 'a' })).resolves.toBeDefined()
  })

  it('a name and a target cannot be mistaken for another name and target', async () => {
    const attempt = await attemptOf(openStore(), 'first')
    const one = await attempt.ctx.send(`${QUEUE}:a`, 1, { name: 'b' })
    const other = await attempt.ctx.send(QUEUE, 1, { name: 'a:b' })
    expect(one.uniqueRequestId).not.toBe(other.uniqueRequestId)
  })
})

describe('the outbox', () => {
  it('nothing is sent before the flush', async () => {
    const attempt = await attemptOf(openStore(), 'first')
    await attempt.ctx.send(QUEUE, { a: 1 })
    await attempt.ctx.publish(TOPIC, { b: 2 })
    const box = letterbox()
    expect(box.sent).toEqual([])
    await attempt.outbox.flush(box)
    expect(box.sent.map(({ target, message }) => [target, message.body])).toEqual([
      [QUEUE, '{"a":1}'],
      [TOPIC, '{"b":2}'],
    ])
  })

  it('a message that is not accepted fails the record', async () => {
    const attempt = await attemptOf(openStore(), 'first')
    await attempt.ctx.send(QUEUE, 1)
    await attempt.ctx.send(OTHER, 1)
    const box = letterbox((target) => (target === OTHER ? new Error('throttled') : undefined))
    await expect(attempt.outbox.flush(box)).rejects.toMatchObject({ code: 'SEND_FAILED' })
    expect(box.sent).toHaveLength(2)
  })

  it('a permanent refusal is reported before a temporary one, and as permanent', async () => {
    const attempt = await attemptOf(openStore(), 'first')
    await attempt.ctx.send(QUEUE, 1)
    await attempt.ctx.send(OTHER, 1)
    const tooLong = Object.assign(new Error('too long'), { name: 'InvalidParameterValue' })
    const box = letterbox((target) => (target === OTHER ? tooLong : new Error('throttled')))
    await expect(attempt.outbox.flush(box)).rejects.toMatchObject({
      code: 'SEND_FAILED',
      permanent: true,
    })
  })

  it('a topic that is set to take more gets more', async () => {
    const attempt = await attemptOf(openStore(), 'first')
    await attempt.ctx.publish(TOPIC, tooLong, { maxBytes: 1_048_576 })
    const box = letterbox()
    await attempt.outbox.flush(box)
    expect(box.sent).toHaveLength(1)
  })

  it('carries the first sending, one hop more, and no retry', async () => {
    const attempt = await attemptOf(openStore(), 'first')
    await attempt.ctx.send(QUEUE, 1)
    const box = letterbox()
    await attempt.outbox.flush(box)
    const packed = box.sent[0]?.message.attributes['lineclear']
    expect(packed).toMatchObject({ DataType: 'String' })
    const text = packed !== undefined && 'StringValue' in packed ? packed.StringValue : ''
    expect(JSON.parse(text)).toEqual({ format: 1, resendNumber: 0, hops: 1, sentAt: NOW })
  })

  it('a FIFO target gets the id as its deduplication id', async () => {
    const attempt = await attemptOf(openStore(), 'first')
    await attempt.ctx.send(FIFO, 1, { groupId: 'g' })
    const box = letterbox()
    await attempt.outbox.flush(box)
    const message = box.sent[0]?.message
    expect(message).toMatchObject({ groupId: 'g' })
    expect(message?.deduplicationId).toBe(message && idOf(message))
  })

  it('a delay goes out in whole seconds, never too short', async () => {
    const attempt = await attemptOf(openStore(), 'first')
    await attempt.ctx.send(QUEUE, 1, { delay: 1_001 })
    const box = letterbox()
    await attempt.outbox.flush(box)
    expect(box.sent[0]?.message.delaySeconds).toBe(2)
  })
})

describe('refused at once, with the option named', () => {
  const refused: readonly [string, Sends, string][] = [
    ['a FIFO target without a group', (ctx) => ctx.send(FIFO, 1), 'groupId'],
    [
      'a delay to a FIFO target',
      (ctx) => ctx.send(FIFO, 1, { groupId: 'g', delay: '1s' }),
      'delay',
    ],
    ['a delay of more than 15 minutes', (ctx) => ctx.send(QUEUE, 1, { delay: 900_001 }), 'delay'],
    ['no JSON value', (ctx) => ctx.send(QUEUE, undefined), 'expected a JSON value'],
    ['what JSON would change', (ctx) => ctx.send(QUEUE, { ids: new Set() }), '$.ids is a Set'],
    ['a forgotten await', (ctx) => ctx.publish(TOPIC, { a: Promise.resolve() }), 'await'],
    ['a message of a topic above 256 KiB', (ctx) => ctx.publish(TOPIC, tooLong), '262144'],
    [
      'one above what its topic is said to take',
      (ctx) => ctx.publish(TOPIC, 'abc', { maxBytes: 9 }),
      '9',
    ],
  ]

  it.each(refused)('%s', async (_, sends, named) => {
    const { ctx }: Attempt = await attemptOf(openStore(), 'first')
    await expect(sends(ctx)).rejects.toThrow(named)
  })
})
