import { AsyncLocalStorage } from 'node:async_hooks'
import type { SNSClient } from '@aws-sdk/client-sns'
import type { SQSClient } from '@aws-sdk/client-sqs'
import { producer, type SendFailedError } from 'lineclear'
import { fakeClock } from 'lineclear/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'

const QUEUE = 'https://sqs.eu-west-1.amazonaws.com/123456789012/orders'
const FIFO = `${QUEUE}.fifo`
const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:orders'

interface Entry {
  readonly Id: string
  readonly MessageBody?: string
  readonly Message?: string
  readonly MessageAttributes: Readonly<Record<string, { readonly StringValue: string }>>
  readonly [option: string]: unknown
}
interface Input {
  readonly Entries?: readonly Entry[]
  readonly PublishBatchRequestEntries?: readonly Entry[]
}
type Refuse = (entry: Entry, call: number) => string | undefined

/** Accepts what `refuse` gives no code for; does not answer a call in which it gives `lost`. */
function service(refuse: Refuse = () => undefined) {
  const calls: (readonly Entry[])[] = []
  const send = async ({ input }: { readonly input: Input }): Promise<unknown> => {
    const entries = input.Entries ?? input.PublishBatchRequestEntries ?? []
    calls.push(entries)
    const codes = entries.map((entry) => refuse(entry, calls.length))
    if (codes.includes('lost')) throw new Error('socket hang up')
    return {
      Successful: entries
        .filter((_, index) => codes[index] === undefined)
        .map(({ Id }) => ({ Id, MessageId: `m-${calls.length}-${Id}` })),
      Failed: entries.flatMap(({ Id }, index) =>
        codes[index] === undefined ? [] : [{ Id, Code: codes[index], Message: 'no' }],
      ),
    }
  }
  return { calls, client: { send } as unknown as SQSClient & SNSClient }
}

function open(refuse?: Refuse) {
  const { calls, client } = service(refuse)
  const clock = fakeClock()
  clock.sleep = async () => {}
  return { calls, clock, given: { clients: { sqs: client, sns: client }, clock } }
}

const idsIn = (entries: readonly Entry[] = []): readonly unknown[] =>
  entries.map(({ MessageAttributes }) => MessageAttributes['uniquerequestid']?.StringValue)
const packedIn = (entry: Entry | undefined): unknown =>
  JSON.parse(entry?.MessageAttributes['lineclear']?.StringValue ?? 'null')

afterEach(() => vi.unstubAllEnvs())

describe('one message', () => {
  it('has identity and time, as messages of ctx.send have, and its ids are returned', async () => {
    const { calls, clock, given } = open()
    const sentAt = new Date(clock.now() - 60_000)
    const options = { uniqueRequestId: 'o-1', sentAt } as const
    const sent = await producer(given).send(QUEUE, { n: 1 }, options)
    expect(sent).toEqual({ uniqueRequestId: 'o-1', messageId: 'm-1-0' })
    const [entry] = calls[0] ?? []
    expect(entry?.MessageBody).toBe('{"n":1}')
    expect(Object.keys(entry?.MessageAttributes ?? {})).toEqual(['uniquerequestid', 'lineclear'])
    const carried = {
      format: 1,
      resendNumber: 0,
      hops: 0,
      sentAt: sentAt.getTime(),
    }
    expect(packedIn(entry)).toEqual(carried)
  })

  it('is the same to a topic', async () => {
    const { calls, given } = open()
    await producer(given).publish(TOPIC, { n: 1 }, { uniqueRequestId: 'o-1' })
    expect(calls[0]?.[0]).toMatchObject({ Message: '{"n":1}' })
    expect(idsIn(calls[0])).toEqual(['o-1'])
  })

  it('without an id and a time gets a new id, and the present time', async () => {
    const { calls, clock, given } = open()
    const { send } = producer(given)
    const ids = [await send(QUEUE, {}), await send(QUEUE, {})].map((sent) => sent.uniqueRequestId)
    expect(new Set(ids).size).toBe(2)
    expect(packedIn(calls[0]?.[0])).toMatchObject({ sentAt: clock.now() })
  })

  it('has the id and the time that its payload gives, as the schema reads it', async () => {
    const { calls, given } = open()
    const schema = z.object({ id: z.coerce.string(), at: z.iso.datetime() })
    const options = { ...given, schema, id: ({ id }: { id: string }) => `order-${id}` }
    const orders = producer({ ...options, sentAt: ({ at }) => at })
    await orders.send(QUEUE, { id: 7, at: '2020-01-01T00:00:00Z' })
    expect(idsIn(calls[0])).toEqual(['order-7'])
    expect(packedIn(calls[0]?.[0])).toMatchObject({ sentAt: Date.UTC(2020, 0, 1) })
    expect(calls[0]?.[0]?.MessageBody).toBe('{"id":7,"at":"2020-01-01T00:00:00Z"}')
  })

  it('to a FIFO queue has a deduplication id that depends only on its id', async () => {
    const { calls, given } = open()
    const { send } = producer(given)
    for (let nth = 0; nth < 2; nth++) {
      await send(FIFO, {}, { uniqueRequestId: 'x'.repeat(256), groupId: 'g' })
    }
    const [[first], [second]] = calls as [[Entry], [Entry]]
    expect(first['MessageDeduplicationId']).toMatch(/^[\w-]{43}$/)
    expect(second['MessageDeduplicationId']).toBe(first['MessageDeduplicationId'])
  })

  it('can wait', async () => {
    const { calls, given } = open()
    await producer(given).send(QUEUE, {}, { delay: '10s' })
    expect(calls[0]?.[0]).toMatchObject({ DelaySeconds: 10 })
  })

  it.each([
    ['of an invocation goes along', 'Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=1', true],
    ['that is none does not', 'Root=1-x', false],
    ['of nothing does not', '', false],
  ])("X-Ray's trace %s", async (_, header, goesAlong) => {
    vi.stubEnv('_X_AMZN_TRACE_ID', header)
    const { calls, given } = open()
    await producer(given).send(QUEUE, {})
    expect('MessageSystemAttributes' in (calls[0]?.[0] ?? {})).toBe(goesAlong)
  })

  it("X-Ray's trace is that of its own invocation, where many share a process", async () => {
    const traceOf = (nth: number): string =>
      `Root=1-5759e988-bd862e3fe1be46a99427279${nth};Sampled=1`
    const running = new AsyncLocalStorage<string>()
    vi.stubEnv('_X_AMZN_TRACE_ID', traceOf(9))
    vi.stubGlobal('awslambda', { InvokeStore: { getXRayTraceId: () => running.getStore() } })
    const { calls, given } = open()
    const producing = producer(given)
    await Promise.all(
      [1, 2].map((nth) => running.run(traceOf(nth), () => producing.send(QUEUE, { nth }))),
    )
    vi.unstubAllGlobals()
    expect(JSON.stringify(calls)).toContain(traceOf(1))
    expect(JSON.stringify(calls)).toContain(traceOf(2))
    expect(JSON.stringify(calls)).not.toContain(traceOf(9))
  })

  it.each([
    ['a payload that JSON changes', [QUEUE, { items: new Map() }], '$.items'],
    ['no payload', [QUEUE, undefined], 'is undefined'],
    ['an option that does not exist', [QUEUE, {}, { DelaySeconds: 1 }], "write 'delay'"],
    ['a name with a space', [QUEUE, {}, { uniqueRequestId: 'a b' }], 'uniqueRequestId'],
    ['a name that is no text', [QUEUE, {}, { uniqueRequestId: 7 }], 'uniqueRequestId'],
    ['a time that is none', [QUEUE, {}, { sentAt: 'noon' }], 'sentAt'],
    ['no queue', [undefined, {}], 'the URL of a queue'],
    ['a topic for a queue', [TOPIC, {}], 'use producer.publish'],
    ['a FIFO queue without a group', [FIFO, {}], 'groupId'],
  ] as const)('with %s is not sent', async (_, args, says) => {
    const { calls, given } = open()
    const send = producer(given).send as (...args: readonly unknown[]) => Promise<unknown>
    await expect(send(...args)).rejects.toThrow(says)
    expect(calls).toEqual([])
  })

  it('that its schema refuses is not sent, and the error shows no value of it', async () => {
    const { calls, given } = open()
    const orders = producer({ ...given, schema: z.object({ n: z.number() }) })
    const sending = orders.send(QUEUE, { n: 'secret' as never })
    await expect(sending).rejects.toThrow(/^producer\.send.*Nothing was sent\.$/)
    await expect(sending).rejects.not.toThrow('secret')
    expect(calls).toEqual([])
  })

  it('with another id than its payload gives is not sent', async () => {
    const { calls, given } = open()
    const { send } = producer({ ...given, id: () => 'a' })
    await expect(send(QUEUE, {}, { uniqueRequestId: 'b' })).rejects.toThrow('conflict')
    expect(calls).toEqual([])
  })

  it.each([
    ['what is refused', 'InvalidMessageContents', 'notSent', true, 1],
    ['what the set-up refuses', 'AccessDenied', 'notSent', false, 1],
    ['what is refused for the moment', 'InternalError', 'notSent', false, 3],
    ['what is not answered', 'lost', 'unknown', false, 3],
  ] as const)('of %s is said', async (_, code, outcome, permanent, tries) => {
    const { calls, given } = open(() => code)
    const failed = await errorOf(producer(given).send(QUEUE, {}, { uniqueRequestId: 'o-1' }))
    expect(failed).toMatchObject({ code: 'SEND_FAILED', permanent })
    expect(failed.results).toMatchObject([{ outcome, uniqueRequestId: 'o-1', permanent }])
    expect(calls).toHaveLength(tries)
    expect(new Set(calls.flatMap(idsIn))).toEqual(new Set(['o-1']))
  })
})

describe('many messages', () => {
  const named = (count: number) =>
    Array.from({ length: count }, (_, nth) => ({ payload: { nth }, uniqueRequestId: `r-${nth}` }))

  it('are sent ten at a time, and their ids are returned in their order', async () => {
    const { calls, given } = open()
    const sent = await producer(given).sendMany(QUEUE, named(25))
    expect(calls.map((call) => call.length)).toEqual([10, 10, 5])
    expect(sent.map(({ uniqueRequestId }) => uniqueRequestId)).toEqual(
      named(25).map(({ uniqueRequestId }) => uniqueRequestId),
    )
  })

  it('are split by bytes, as queues and topics accept them', async () => {
    const { calls, given } = open()
    const large = named(4).map((each) => ({ ...each, payload: 'x'.repeat(100_000) }))
    await producer(given).sendMany(QUEUE, large)
    await producer(given).publishMany(TOPIC, large)
    expect(calls.map((call) => call.length)).toEqual([4, 2, 2])
  })

  it('are sent once; one that is refused for now is sent again under its id', async () => {
    const { calls, given } = open(({ Id }, call) =>
      call === 1 && Id === '1' ? 'InternalError' : undefined,
    )
    await expect(producer(given).sendMany(QUEUE, named(3))).resolves.toHaveLength(3)
    expect(calls.map(idsIn)).toEqual([['r-0', 'r-1', 'r-2'], ['r-1']])
  })

  it('of which some are refused: the error says which were sent, which not, and which perhaps', async () => {
    const { given } = open(({ MessageAttributes }) => {
      const id = MessageAttributes['uniquerequestid']?.StringValue
      if (id === 'r-1') return 'InvalidMessageContents'
      return Number(id?.slice(2)) >= 10 ? 'lost' : undefined
    })
    const failed = await errorOf(producer(given).sendMany(QUEUE, named(12)))
    expect(failed.message).toContain(
      'of 12 messages: 1 not sent, 2 without an answer, so perhaps sent, 9 sent',
    )
    expect(failed.permanent).toBe(false)
    const outcomes = failed.results.map(({ outcome }) => outcome)
    expect(outcomes).toEqual(['sent', 'notSent', ...Array(8).fill('sent'), 'unknown', 'unknown'])
  })

  it('to a FIFO queue are sent in one call after the other, and not after one that was not accepted', async () => {
    const { calls, given } = open(({ Id }, call) =>
      call === 2 && Id === '0' ? 'InternalError' : undefined,
    )
    const all = named(25).map((each) => ({ ...each, groupId: 'g' }))
    await producer(given).sendMany(FIFO, all)
    expect(calls.map((call) => idsIn(call)[0])).toEqual(['r-0', 'r-10', 'r-10'])
  })

  it.each([
    ['a payload that is wrong', [{ payload: 1 }, { payload: NaN }], 'NaN'],
    ['one id twice', [named(1)[0], named(1)[0]], 'messages 0 and 1'],
    ['no payload', [{ body: 1 }], '{ payload, …options }'],
    ['no list', { payload: 1 }, 'expected a list'],
  ])('with %s: none of them is sent', async (_, messages, says) => {
    const { calls, given } = open()
    const { sendMany } = producer(given)
    await expect(sendMany(QUEUE, messages as never)).rejects.toThrow(says)
    expect(calls).toEqual([])
  })

  it('may be none', async () => {
    const { calls, given } = open()
    await expect(producer(given).sendMany(QUEUE, [])).resolves.toEqual([])
    expect(calls).toEqual([])
  })
})

it.each([
  [{ name: 'orders' }, '"name" is not known here: expected schema, id'],
  [{ id: 'orderId' }, 'id: expected a function'],
  [{ schema: {} }, 'schema: expected a Standard Schema'],
  [{ clients: { sqs: 'sqs' } }, 'sqs: expected an SQSClient'],
  [null, 'expected an object'],
])('options are checked when the producer is made: %o', (options, says) => {
  expect(() => producer(options as never)).toThrow(says)
})

async function errorOf(sending: Promise<unknown>): Promise<SendFailedError> {
  return sending.then(
    () => {
      throw new Error('it was sent')
    },
    (error: unknown) => error as SendFailedError,
  )
}

it('a time ahead of the clock counts as now: consumers would not trust it', async () => {
  const clock = fakeClock()
  const sent: unknown[] = []
  const send = async ({ input }: { input: { Entries: readonly { Id: string }[] } }) => {
    sent.push(...input.Entries)
    return { Successful: input.Entries.map(({ Id }) => ({ Id, MessageId: Id })) }
  }
  const { send: produce } = producer({ clock, clients: { sqs: { send } as unknown as SQSClient } })
  await produce(QUEUE, {}, { sentAt: new Date(clock.now() + 60_000) })
  expect(JSON.stringify(sent)).toContain(String.raw`\"sentAt\":${clock.now()}`)
})
