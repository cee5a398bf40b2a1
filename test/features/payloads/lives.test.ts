import { hash, randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { StoreUnavailableError, snsTopic } from 'lineclear'
import { memoryObjects } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { put } from '../../../src/testing/queues/simulatedQueue.ts'
import { consumerOf } from '../../deliver/consumerOf.ts'
import { nativeRedrive } from '../../testing/nativeRedrive.ts'
import { carriedBy, consumerWithPayloads, LARGE, MIB } from './consumer.ts'

const HOUR = 3_600_000
const failing = (): never => {
  throw new Error('not yet')
}

describe('a message without its payload', () => {
  it('is retried, dead-lettered and redriven with the payload where it is, and runs once', async () => {
    let fails = true
    const ran: unknown[] = []
    const { clock, dead, queue, offload, sendLarge, deliver, reasons } = consumerWithPayloads(
      (payload) => (fails ? failing() : ran.push(payload)),
      { retry: { maxAttempts: 2 } },
    )
    await deliver(await sendLarge())
    clock.advance(HOUR)
    await deliver([...queue.messages])
    expect([queue.messages, reasons()]).toEqual([[], ['exhausted']])
    expect(carriedBy(dead.messages[0])?.payload?.sha256).toBe([...offload.objects.keys()][0])
    expect(dead.messages[0]?.message.body.length).toBeLessThan(1_000)
    fails = false
    await deliver(nativeRedrive(dead, queue, clock.now()))
    expect([ran, queue.messages, dead.messages]).toEqual([[LARGE], [], []])
  })

  it('on a FIFO queue keeps its place and its payload', async () => {
    let fails = true
    const ran: unknown[] = []
    const { clock, queue, sendLarge, deliver } = consumerWithPayloads(
      (payload) => (fails ? failing() : ran.push(payload)),
      { queue: 'orders.fifo' },
    )
    const message = await sendLarge()
    expect(await deliver(message)).toBe(true)
    fails = false
    clock.advance(HOUR)
    await deliver(message)
    expect([ran, queue.messages]).toEqual([[LARGE], []])
  })

  it('is the same request as one that has the same payload inside', async () => {
    let runs = 0
    const { clock, queue, dead, sender, sendLarge, deliver } = consumerWithPayloads(() => {
      runs += 1
    })
    const small = { text: 'x'.repeat(2_000) }
    await deliver(await sendLarge(small))
    await sender.send('https://sqs.eu-west-1.amazonaws.com/000000000000/orders', small, {
      uniqueRequestId: 'r',
    })
    clock.advance(1)
    await deliver([...queue.messages])
    expect([runs, queue.messages, dead.messages]).toEqual([1, [], []])
  })

  it('with another payload under the same id is a conflict', async () => {
    const { queue, sendLarge, deliver, reasons } = consumerWithPayloads(() => {})
    await deliver(await sendLarge({ text: 'x'.repeat(2_000) }))
    await deliver(await sendLarge({ text: 'y'.repeat(2_000) }))
    expect([queue.messages, reasons()]).toEqual([[], ['conflict']])
  })

  it('is checked by schema and id as any other', async () => {
    const schema = z.object({ text: z.string().max(3) })
    const { reasons, sendLarge, deliver, dead } = consumerWithPayloads(failing, { schema })
    await deliver(await sendLarge())
    expect(reasons()).toEqual(['rejected'])
    expect(carriedBy(dead.messages[0])?.error).toMatch(/schema refuses the payload/)
  })
})

describe('what the place of the payloads does not give', () => {
  const open = (objects: (kept: Map<string, string>) => void) => {
    const ran: unknown[] = []
    const consumer = consumerWithPayloads((payload) => void ran.push(payload))
    const sendLarge = async () => {
      const message = await consumer.sendLarge()
      objects(consumer.offload.objects)
      return message
    }
    return { ...consumer, ran, sendLarge }
  }

  it('missing: dead-lettered at once with the reason; put back and redriven it runs', async () => {
    const { ran, clock, dead, queue, offload, sendLarge, deliver, reasons } = open((kept) =>
      kept.clear(),
    )
    await deliver(await sendLarge())
    expect([ran, queue.messages, reasons()]).toEqual([[], [], ['rejected']])
    expect(carriedBy(dead.messages[0])?.error).toMatch(
      /there is no object of this size at memory:\/\/[0-9a-f]{64}: a lifecycle rule has expired it/,
    )
    const text = JSON.stringify(LARGE)
    offload.objects.set(hash('sha256', text), text)
    await deliver(nativeRedrive(dead, queue, clock.now()))
    expect([ran, queue.messages, dead.messages]).toEqual([[LARGE], [], []])
  })

  it('missing at the second attempt: the request is dead-lettered under its own claim, and continues after a redrive', async () => {
    let fails = true
    let applied = 0
    const { clock, dead, queue, offload, sendLarge, deliver, reasons } = consumerWithPayloads(
      async (_, ctx) => {
        await ctx.call('applied', () => (applied += 1))
        if (fails) failing()
      },
    )
    await deliver(await sendLarge())
    const kept = [...offload.objects]
    offload.objects.clear()
    clock.advance(HOUR)
    await deliver([...queue.messages])
    expect([queue.messages, reasons()]).toEqual([[], ['rejected']])
    expect(carriedBy(dead.messages[0])?.death).toBe(1)
    for (const [name, text] of kept) offload.objects.set(name, text)
    fails = false
    await deliver(nativeRedrive(dead, queue, clock.now()))
    expect([applied, queue.messages, dead.messages]).toEqual([1, [], []])
  })

  it.each([
    ['changed', (text: string) => text.replace('ä', 'ö')],
    ['longer', (text: string) => `${text} `],
    ['empty', () => ''],
  ])('%s: dead-lettered, and never run', async (_, change) => {
    const { ran, dead, sendLarge, deliver, reasons } = open((kept) => {
      for (const [name, text] of kept) kept.set(name, change(text))
    })
    await deliver(await sendLarge())
    expect([ran, reasons()]).toEqual([[], ['rejected']])
    expect(carriedBy(dead.messages[0])?.error).toMatch(/is not what was sent: its hash differs/)
  })

  it('no answer: the invocation fails, the record stays on its queue, and no attempt is counted', async () => {
    const { ran, queue, dead, store, offload, sendLarge, deliver } = open(() => {})
    const message = await sendLarge()
    const { read } = offload
    offload.read = () => Promise.reject(new StoreUnavailableError('no answer'))
    await expect(deliver(message)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect([queue.messages.length, dead.messages, store.items()]).toEqual([1, [], []])
    offload.read = read
    await deliver(message)
    expect([ran, queue.messages]).toEqual([[LARGE], []])
  })
})

describe('a sender', () => {
  it('sends nothing until the payload is stored, and the failed attempt does not count', async () => {
    const kept = memoryObjects()
    const fails = { now: true }
    const { move } = kept
    kept.move = (payload) => {
      const moved = move(payload)
      const unavailable = () => Promise.reject(new StoreUnavailableError('no answer'))
      return fails.now ? { ...moved, store: unavailable } : moved
    }
    const next = 'https://sqs.eu-west-1.amazonaws.com/000000000000/next'
    const { clock, queue, queueDouble, send, deliver, store } = consumerWithPayloads(
      async (_, ctx) => {
        await ctx.send(next, LARGE)
        await ctx.send(next, 'small')
      },
      { kept },
    )
    await deliver(send('{}'))
    expect(queueDouble.queue('next').messages).toEqual([])
    expect(store.items()).toMatchObject([{ attempt: 0 }])
    fails.now = false
    clock.advance(HOUR)
    await deliver([...queue.messages])
    expect(queueDouble.queue('next').messages.length).toBe(2)
    expect(kept.objects.size).toBe(1)
  })

  it('stores a payload once that goes to several queues in one call, and under one name in every attempt', async () => {
    const puts: string[] = []
    const kept = memoryObjects()
    const { move } = kept
    kept.move = (payload) => {
      const moved = move(payload)
      return { ...moved, store: () => (puts.push(moved.carried.sha256), moved.store()) }
    }
    const { sender } = consumerWithPayloads(() => {}, { kept })
    const next = 'https://sqs.eu-west-1.amazonaws.com/000000000000/next'
    const many = ['a', 'b', 'c'].map((uniqueRequestId) => ({ payload: LARGE, uniqueRequestId }))
    await sender.sendMany(next, many)
    expect(puts).toEqual([hash('sha256', JSON.stringify(LARGE))])
  })

  it('reports what was not sent because its payload could not be stored', async () => {
    const kept = memoryObjects()
    const { move } = kept
    kept.move = (payload) => ({
      ...move(payload),
      store: () => Promise.reject(new StoreUnavailableError('no answer')),
    })
    const { sender, queueDouble } = consumerWithPayloads(() => {}, { kept })
    const next = 'https://sqs.eu-west-1.amazonaws.com/000000000000/next'
    await expect(sender.send(next, LARGE)).rejects.toMatchObject({
      code: 'SEND_FAILED',
      permanent: false,
      results: [{ outcome: 'notSent' }],
    })
    expect(queueDouble.queue('next').messages).toEqual([])
  })

  it('is refused at the call when the payload is too large for here, too', async () => {
    const kept = memoryObjects({ maxBytes: 2 * MIB })
    const { dead, send, deliver, queueDouble, reasons } = consumerWithPayloads(
      async (_, ctx) => {
        await ctx.send('https://sqs.eu-west-1.amazonaws.com/000000000000/next', 'small')
        await ctx.send('https://sqs.eu-west-1.amazonaws.com/000000000000/next', 'x'.repeat(2 * MIB))
      },
      { kept },
    )
    await deliver(send('{}'))
    expect([reasons(), kept.objects.size]).toEqual([['terminal'], 0])
    expect(queueDouble.queue('next').messages).toEqual([])
    expect(carriedBy(dead.messages[0])?.error).toMatch(
      /its payload has 2097154 bytes, and maxBytes of the option offload is 2097152/,
    )
  })
})

describe('a hostile sender', () => {
  const pointer = { sha256: 'a'.repeat(64), bytes: 10 }
  const stamped = (payload: unknown, body = 'x') => ({
    body,
    attributes: {
      uniquerequestid: { DataType: 'String', StringValue: 'r' },
      lineclear: {
        DataType: 'String',
        StringValue: JSON.stringify({ format: 1, resendNumber: 0, hops: 0, payload }),
      },
    },
  })

  it.each([
    [
      'the pointer of another library',
      '["software.amazon.payloadoffloading.PayloadS3Pointer",{"s3BucketName":"theirs","s3Key":"k"}]',
    ],
    ['our text for operators', 'lineclear: the payload is at s3://theirs/k (3 bytes)'],
  ])('%s in a body is payload: nothing is read', async (_, body) => {
    const got: unknown[] = []
    const { send, deliver, offload } = consumerWithPayloads((payload) => void got.push(payload), {
      parse: 'text',
    })
    offload.read = failing
    await deliver(send(body))
    expect(got).toEqual([body])
  })

  it.each([
    ['a path', { ...pointer, sha256: '../'.repeat(21) + 'x' }],
    ['a place', { ...pointer, s3BucketName: 'theirs', sha256: 's3://theirs/k' }],
    ['no size', { ...pointer, bytes: undefined }],
    ['a negative size', { ...pointer, bytes: -1 }],
    ['a list', [pointer]],
  ])('%s in the attribute is left out: nothing is read', async (_, payload) => {
    const { deliver, offload, queue, clock, reasons } = consumerWithPayloads(failing)
    offload.read = failing
    await deliver(put(queue, stamped(payload), clock.now()))
    expect(reasons()).toEqual(['rejected'])
  })

  it('cannot make a consumer read more than it allows', async () => {
    const kept = memoryObjects({ maxBytes: 1_000 })
    kept.objects.get = failing
    const { deliver, dead, queue, clock, reasons } = consumerWithPayloads(failing, { kept })
    await deliver(put(queue, stamped({ ...pointer, bytes: 1_001 }), clock.now()))
    expect(reasons()).toEqual(['rejected'])
    expect(carriedBy(dead.messages[0])?.error).toMatch(
      /1001 bytes .* maxBytes of the option offload is 1000/,
    )
  })

  it('cannot end a request that waits by stating the hash of its payload, which is nowhere', async () => {
    let fails = true
    const ran: unknown[] = []
    const { deliver, queue, clock, reasons } = consumerWithPayloads((payload) => {
      if (fails) failing()
      ran.push(payload)
    })
    const text = '{"a":1}'
    const { attributes } = stamped(undefined)
    await deliver(put(queue, { body: text, attributes }, clock.now()))
    const known = { sha256: hash('sha256', text), bytes: 7 }
    await deliver(put(queue, stamped(known), clock.now()))
    expect(reasons()).toEqual(['conflict'])
    fails = false
    clock.advance(24 * HOUR)
    await deliver([...queue.messages])
    expect([ran, reasons()]).toEqual([[{ a: 1 }], ['conflict']])
  })

  it('cannot pass one payload for another by a false hash for tokens', async () => {
    const { deliver, queue, clock, offload, reasons } = consumerWithPayloads(failing)
    const text = '{"a":1}'
    offload.objects.set(hash('sha256', text), text)
    const forged = { sha256: hash('sha256', '{"a":2}'), bytes: 7 }
    offload.objects.set(forged.sha256, text)
    await deliver(put(queue, stamped(forged), clock.now()))
    expect(reasons()).toEqual(['rejected'])
  })
})

describe('a message at the very limit', () => {
  const body = (bytes: number): string => JSON.stringify('x'.repeat(bytes - 2))

  it('is dead-lettered with its reason, whose payload makes room for it, and runs when it is redriven', async () => {
    let fails = true
    const ran: unknown[] = []
    const { clock, dead, queue, offload, send, deliver, reasons } = consumerWithPayloads(
      (payload) => (fails ? failing() : ran.push(payload)),
      { retry: { maxAttempts: 1 } },
    )
    await deliver(send(body(MIB)))
    expect([queue.messages, reasons()]).toEqual([[], ['exhausted']])
    expect(carriedBy(dead.messages[0])).toMatchObject({ error: 'Error: not yet', attempts: 1 })
    expect(offload.objects.size).toBe(1)
    fails = false
    await deliver(nativeRedrive(dead, queue, clock.now()))
    expect([ran, queue.messages, dead.messages]).toEqual([['x'.repeat(MIB - 2)], [], []])
  })

  it('that is a notification keeps the identity of its topic', async () => {
    let fails = true
    const ids: string[] = []
    const topic = 'arn:aws:sns:eu-west-1:000000000000:t'
    const { clock, dead, queue, send, deliver, reasons } = consumerWithPayloads(
      (_, ctx) => (fails ? failing() : ids.push(ctx.uniqueRequestId)),
      { retry: { maxAttempts: 1 }, envelopes: [snsTopic(topic)] },
    )
    const notification = (Message: string) =>
      JSON.stringify({ Type: 'Notification', MessageId: 'm-1', TopicArn: topic, Message })
    const room = MIB - notification('""').length
    await deliver(send(notification(JSON.stringify('x'.repeat(room)))))
    expect([queue.messages, reasons()]).toEqual([[], ['exhausted']])
    expect(JSON.parse(dead.messages[0]?.message.body ?? '')).toMatchObject({ MessageId: 'm-1' })
    fails = false
    await deliver(nativeRedrive(dead, queue, clock.now()))
    expect([ids, queue.messages, dead.messages]).toEqual([['m-1'], [], []])
  })

  it('stays on its queue while its payload cannot be stored, and is not run again', async () => {
    let runs = 0
    const kept = memoryObjects()
    const { move } = kept
    const { clock, dead, queue, send, deliver } = consumerWithPayloads(
      () => {
        runs += 1
        failing()
      },
      { kept, retry: { maxAttempts: 1 } },
    )
    kept.move = (payload) => ({
      ...move(payload),
      store: () => Promise.reject(new StoreUnavailableError('no answer')),
    })
    const message = send(body(MIB))
    await expect(deliver(message)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect([runs, dead.messages, queue.messages.length]).toEqual([1, [], 1])
    kept.move = move
    clock.advance(HOUR)
    await deliver(message)
    expect([runs, dead.messages.length, queue.messages]).toEqual([1, 1, []])
  })

  it.each(['orders', 'orders.fifo'])(
    'without the option is dead-lettered compressed (%s), and redriven and run',
    async (name) => {
      let fails = true
      const ran: unknown[] = []
      const { clock, dead, queue, send, deliver, reasons } = consumerOf(
        (payload) => (fails ? failing() : ran.push(payload)),
        { retry: { maxAttempts: 1 }, queue: name },
      )
      await deliver(send(body(MIB)))
      expect([queue.messages, reasons()]).toEqual([[], ['exhausted']])
      expect(carriedBy(dead.messages[0])).toMatchObject({ error: 'Error: not yet', attempts: 1 })
      fails = false
      await deliver(nativeRedrive(dead, queue, clock.now()))
      expect([ran, queue.messages, dead.messages]).toEqual([['x'.repeat(MIB - 2)], [], []])
    },
  )

  it.each([
    ['no gzip', Buffer.from('none')],
    ['a bomb', gzipSync(Buffer.alloc(64 * MIB))],
  ])('a forged compressed body (%s) is payload that no schema reads', async (_, bytes) => {
    const { queue, clock, deliver, reasons } = consumerOf(failing)
    const lineclear = JSON.stringify({ format: 1, resendNumber: 0, hops: 0, wrapped: true })
    const forged = {
      body: `lineclear gzip ${bytes.toString('base64')}`,
      attributes: { lineclear: { DataType: 'String', StringValue: lineclear } },
    }
    await deliver(put(queue, forged, clock.now()))
    expect(reasons()).toEqual(['rejected'])
  })

  it('that cannot be compressed stays on its queue without the option, with its reason in the table, and is not run again', async () => {
    let runs = 0
    const { clock, dead, logger, queue, send, deliver, store } = consumerOf(
      () => {
        runs += 1
        failing()
      },
      { retry: { maxAttempts: 1 } },
    )
    const message = send(
      JSON.stringify(
        randomBytes(MIB)
          .toString('base64')
          .slice(0, MIB - 2),
      ),
    )
    for (let times = 0; times < 3; times++) {
      expect(await deliver(message)).toBe(true)
      clock.advance(HOUR)
    }
    expect([runs, dead.messages, queue.messages.length]).toEqual([1, [], 1])
    expect(store.items()).toMatchObject([{ status: 'dying', reason: 'exhausted' }])
    expect(logger.lines).toContainEqual(
      expect.objectContaining({
        message: 'cannot be dead-lettered: the record stays on its queue and is not run',
        error: expect.stringContaining('the option offload') as string,
        reason: 'exhausted',
      }),
    )
  })
})
