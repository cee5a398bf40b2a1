import { randomBytes } from 'node:crypto'
import {
  ConfigError,
  recordHandler,
  SendFailedError,
  RejectedError,
  RetryableError,
  TerminalError,
  UnknownOutcomeError,
} from 'lineclear'
import { describe, expect, it } from 'vitest'
import { StoreUnavailableError } from '../../src/library/base/errors.ts'
import { memoryQueueUrl } from '../../src/testing/queues/description.ts'
import { attributeOf } from '../../src/testing/queues/simulatedQueue.ts'
import { consumerOf } from './consumerOf.ts'
import { nativeRedrive } from '../testing/nativeRedrive.ts'

const [MINUTE, HOUR] = [60_000, 3_600_000]
const NONE = { body: '', attributes: {} }

describe('what a handler throws', () => {
  it.each([
    ['unknown', new UnknownOutcomeError('did it?')],
    ['terminal', new TerminalError('never')],
    ['rejected', new RejectedError('not this')],
    ['terminal', new ConfigError('ctx.write: there is no such option')],
    ['terminal', new SendFailedError('no such queue', { permanent: true })],
  ])('%s is dead-lettered at once, with that reason', async (reason, error) => {
    const { send, deliver, reasons } = consumerOf(() => Promise.reject(error))
    expect(await deliver(send('{}'))).toBe(false)
    expect(reasons()).toEqual([reason])
  })

  it('is dead-lettered when it asks for a retry after its time limit', async () => {
    const later = new RetryableError('later', { retryAfter: 2 * HOUR })
    const retry = { maxAge: '1h' } as const
    const { send, deliver, reasons } = consumerOf(() => Promise.reject(later), { retry })
    expect(await deliver(send('{}'))).toBe(false)
    expect(reasons()).toEqual(['too old'])
  })
})

describe('an outage of a table in the middle of a handler', () => {
  const down = new StoreUnavailableError('throttled')
  const put = { TableName: 'orders', Key: { id: 'o' }, put: {} } as const

  it.each([
    ['resend', 'orders'],
    ['visibility', 'orders'],
    ['visibility', 'orders.fifo'],
  ] as const)(
    'costs no attempt, and ends nothing, however long it lasts: by %s on %s',
    async (transport, name) => {
      let runs = 0
      const attempts: number[] = []
      const waits: number[] = []
      const { clock, dead, store, queue, send, deliver } = consumerOf(
        async (_payload, ctx) => {
          runs += 1
          attempts.push(ctx.attempt)
          await ctx.write('order', put)
        },
        { queue: name, retry: { maxAttempts: 2, transport } },
      )
      const { transact } = store
      store.transact = async () => ({ kind: 'failed', error: down })
      send('{}')
      for (let nth = 0; nth < 8; nth++) {
        await deliver([...queue.messages])
        const [message] = queue.messages
        if (message === undefined) throw new Error('lost')
        waits.push(message.visibleAt - clock.now())
        clock.set(message.visibleAt + 2_000)
      }
      expect([new Set(attempts), dead.messages]).toEqual([new Set([1]), []])
      expect(waits.at(-1)).toBeGreaterThan(60_000)
      store.transact = transact
      await deliver([...queue.messages])
      expect([runs, queue.messages, store.userItems('orders')]).toEqual([9, [], [{ id: 'o' }]])
    },
  )

  it('is also recognised inside an error of the handler', async () => {
    const wrapped = new Error('the order could not be saved', { cause: down })
    const { dead, queue, send, deliver } = consumerOf(() => Promise.reject(wrapped), {
      retry: { maxAttempts: 1 },
    })
    await deliver(send('{}'))
    expect([queue.messages.length, dead.messages]).toEqual([1, []])
  })

  it('fails the function when the store is down too, so that Lambda polls more slowly', async () => {
    const { store, queue, send, deliver } = consumerOf((_payload, ctx) => ctx.write('order', put))
    store.transact = async () => ({ kind: 'failed', error: down })
    store.update = async (updates) => updates.map(() => ({ kind: 'failed', error: down }))
    const message = send('{}')
    await expect(deliver(message)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(queue.messages).toEqual([message])
  })

  it('is retried until the message is too old, and the dead letter has the error of the table', async () => {
    const { clock, dead, store, queue, send, deliver } = consumerOf(
      (_payload, ctx) => ctx.write('order', put),
      {
        retry: { maxAge: '1h' },
      },
    )
    store.transact = async () => ({ kind: 'failed', error: down })
    send('{}')
    for (let nth = 0; nth < 20 && queue.messages.length > 0; nth++) {
      await deliver([...queue.messages])
      clock.set((queue.messages[0]?.visibleAt ?? 0) + 2_000)
    }
    const [deadLetter] = dead.messages
    expect(attributeOf(deadLetter?.message ?? NONE, 'lineclear')).toMatch(/too old.*throttled/)
  })
})

describe('a message that the set-up of its target refuses', () => {
  it.each([
    'AccessDenied',
    'KmsDisabled',
    'QueueDoesNotExist',
    'AWS.SimpleQueueService.NonExistentQueue',
  ])('costs no attempt, and is sent after the next deployment: %s', async (name) => {
    const next = 'https://sqs.eu-west-1.amazonaws.com/123456789012/next'
    const sent: unknown[] = []
    let isDenied = true
    const at = consumerOf(() => {}, { retry: { maxAttempts: 2 } })
    const { sqs } = at.options.clients
    const client = {
      send: async (command: { readonly input: { readonly QueueUrl?: string } }) => {
        if (command.input.QueueUrl !== next) return sqs.send(command as never)
        if (isDenied) throw Object.assign(new Error('no'), { name, $fault: 'client' })
        sent.push(command.input)
        return { Successful: [{ Id: '0' }] }
      },
    }
    const options = { ...at.options, retry: { maxAttempts: 2 }, clients: { sqs: client as never } }
    const handler = recordHandler(options, (_payload, ctx) => ctx.send(next, {}))
    at.send('{}')
    for (let nth = 0; nth < 8; nth++) {
      await at.deliver([...at.queue.messages], {}, handler)
      at.clock.set((at.queue.messages[0]?.visibleAt ?? 0) + 2_000)
    }
    expect([at.dead.messages, at.queue.messages.length, sent]).toEqual([[], 1, []])
    expect(at.logger.lines.some(({ level }) => level === 'error')).toBe(true)
    isDenied = false
    await at.deliver([...at.queue.messages], {}, handler)
    expect([at.dead.messages, at.queue.messages, sent.length]).toEqual([[], [], 1])
  })
})

it('an attempt that ends silently is dead-lettered with the error of the attempt before', async () => {
  let runs = 0
  const { clock, dead, queue, send, deliver } = consumerOf(
    () => {
      runs += 1
      if (runs === 1) throw new Error('no such order')
      return new Promise(() => {})
    },
    { left: 100, retry: { maxAttempts: 2 } },
  )
  send('{}')
  for (let nth = 0; nth < 3; nth++) {
    await deliver([...queue.messages])
    clock.advance(HOUR)
  }
  const [deadLetter] = dead.messages
  expect(attributeOf(deadLetter?.message ?? NONE, 'lineclear')).toMatch(
    /exhausted.*killed.*no such order/,
  )
})

it.each([Number.NaN, Number.POSITIVE_INFINITY, -5])(
  'a delay of %s cannot be waited for: the record is retried all the same',
  async (odd) => {
    const { clock, queue, send, deliver } = consumerOf(
      () => Promise.reject(new RetryableError('later', { retryAfter: odd })),
      { retry: { delay: () => odd } },
    )
    await deliver(send('{}'))
    expect(queue.messages.map(({ visibleAt }) => visibleAt - clock.now() < 10_000)).toEqual([true])
  },
)

it.each([
  ['gives a text', () => '10s' as never, 'expected milliseconds; got "10s"'],
  ['throws', () => ({}) as { after: { n: number } }, 'Cannot read'],
])(
  'a function for the delay that %s: the default delay, and a WARN line',
  async (_, give, says) => {
    const delay = (): number => {
      const given = give()
      return typeof given === 'string' ? given : given.after.n
    }
    const { clock, logger, queue, send, deliver } = consumerOf(
      () => Promise.reject(new Error('again')),
      { retry: { delay } },
    )
    await deliver(send('{}'))
    expect(queue.messages.map(({ visibleAt }) => visibleAt - clock.now() < 10_000)).toEqual([true])
    expect(logger.lines).toContainEqual({
      level: 'warn',
      message: 'retry.delay failed: this retry waits for the default delay',
      error: expect.stringContaining(says),
    })
  },
)

describe('a retry', () => {
  it('changes to visibility before Lambda takes its copies for a loop and drops them', async () => {
    const { clock, queue, send, deliver } = consumerOf(() => Promise.reject(new Error('again')), {
      retry: { maxAttempts: 20 },
    })
    send('{}')
    for (let attempt = 1; attempt <= 16; attempt++) {
      const [message] = queue.messages
      if (message === undefined) throw new Error('the message is lost')
      await deliver(message)
      clock.advance(HOUR)
    }
    expect(queue.all).toHaveLength(13)
  })

  it('is not started early by a copy of its message in the same batch', async () => {
    let runs = 0
    const { queue, sendStamped, deliver } = consumerOf(() => {
      runs += 1
      throw new Error('again')
    })
    expect(await deliver([sendStamped('r'), sendStamped('r')])).toBe(false)
    expect([runs, queue.messages.length]).toEqual([1, 1])
  })

  it('after 20 minutes is a copy delayed by 15, the most that SQS takes, and does not run before it is due', async () => {
    let runs = 0
    const { clock, queue, send, deliver } = consumerOf(
      () => {
        runs += 1
        throw new Error('again')
      },
      { retry: { delay: () => 20 * MINUTE } },
    )
    await deliver(send('{}'))
    const [copy] = queue.messages
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

  it('after 20 hours by visibility hides the message for 12, the most that SQS takes', async () => {
    const later = new RetryableError('later', { retryAfter: 20 * HOUR })
    const { clock, send, deliver } = consumerOf(() => Promise.reject(later), {
      retry: { transport: 'visibility' },
    })
    const message = send('{}')
    expect(await deliver(message)).toBe(true)
    const waits = message.visibleAt - clock.now()
    expect(waits).toBeLessThanOrEqual(12 * HOUR)
    expect(waits).toBeGreaterThan(11 * HOUR)
  })

  it('by visibility does not come back at once when 12 hours have passed since its first receipt', async () => {
    const later = new RetryableError('later', { retryAfter: 5 * HOUR })
    const { clock, send, deliver } = consumerOf(() => Promise.reject(later), {
      retry: { transport: 'visibility' },
    })
    const message = send('{}')
    const first = String(clock.now() - 13 * HOUR)
    await deliver(message, { ApproximateFirstReceiveTimestamp: first })
    expect(message.visibleAt - clock.now()).toBe(5 * HOUR)
  })
})

describe('a dead letter', () => {
  it('that does not fit into a message stays on its queue, and does not count as sent', async () => {
    const never = new TerminalError('never')
    const { store, send, deliver, dead } = consumerOf(() => Promise.reject(never))
    const incompressible = randomBytes(786_426).toString('base64')
    expect(await deliver(send(JSON.stringify(incompressible)))).toBe(true)
    expect(dead.messages).toEqual([])
    expect(store.items()).toMatchObject([{ status: 'dying' }])
  })

  it('of a second death is not dropped by a FIFO queue as a duplicate of the first', async () => {
    const never = new TerminalError('never')
    const { clock, queue, dead, send, deliver } = consumerOf(() => Promise.reject(never), {
      queue: 'orders.fifo',
      deadLetterQueueUrl: memoryQueueUrl('dead-letters.fifo'),
    })
    expect(await deliver(send('{}'))).toBe(false)
    const [back] = nativeRedrive(dead, queue, clock.now())
    if (back === undefined) throw new Error('no dead letter')
    expect(await deliver(back)).toBe(false)
    expect(dead.messages).toHaveLength(1)
  })

  it('of a message that is refused again is not dropped by a FIFO queue as a duplicate of the first', async () => {
    const { clock, queue, dead, send, deliver } = consumerOf(() => {}, {
      queue: 'orders.fifo',
      deadLetterQueueUrl: memoryQueueUrl('dead-letters.fifo'),
    })
    expect(await deliver(send('no JSON'))).toBe(false)
    expect(await deliver(nativeRedrive(dead, queue, clock.now()))).toBe(false)
    expect(dead.messages).toHaveLength(1)
  })

  it('of a message whose id belongs to another payload is not dropped by a FIFO queue as a duplicate', async () => {
    const { dead, sendStamped, deliver } = consumerOf(() => {}, {
      queue: 'orders.fifo',
      deadLetterQueueUrl: memoryQueueUrl('dead-letters.fifo'),
    })
    for (const body of ['{"n":1}', '{"n":2}', '{"n":3}'])
      expect(await deliver(sendStamped('r', { body }))).toBe(false)
    expect(dead.messages.map(({ message }) => message.body)).toEqual(['{"n":2}', '{"n":3}'])
  })
})
