import {
  defineFlow,
  type RecordContext,
  recordHandler,
  TerminalError,
  type HandlerResult,
} from 'lineclear'
import { type LocalCloud, startLocalCloud } from 'lineclear/local'
import { sqsEvent, sqsRecord } from 'lineclear/testing'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bodyHash } from '../../../src/library/protocol/record/message/message.ts'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { withoutSdk } from '../../testing/withoutSdk.ts'
import { SECRET, watch } from './watch.ts'

let cloud: LocalCloud
beforeAll(async () => {
  const queues = { work: {}, dead: {} }
  cloud = withoutSdk(await startLocalCloud({ queues }, { logger: quietLogger() }))
})
afterAll(() => cloud.stop())

const PAYLOAD = { card: SECRET.body, number: SECRET.number }
const attributes = { tenant: SECRET.attribute, photo: new TextEncoder().encode(SECRET.attribute) }
const record = (payload: unknown, more: object = {}) => sqsRecord(payload, { attributes, ...more })

describe('a consumer reveals nothing of what it is given', () => {
  const ENDS: readonly (readonly [
    what: string,
    says: string,
    work: (payload: unknown, ctx: RecordContext) => HandlerResult,
  ])[] = [
    ['that it takes', 'succeeded', () => SECRET.result],
    [
      'when its handler fails',
      'the bank is closed',
      () => {
        throw new Error('the bank is closed')
      },
    ],
    [
      'when its handler gives up',
      'no such card',
      () => {
        throw new TerminalError('no such card')
      },
    ],
    ['when it keeps an answer', 'succeeded', (_, ctx) => ctx.call('charge', () => SECRET.result)],
    [
      'when a call is in doubt',
      'whether the call was made is unknown',
      (_, ctx) =>
        ctx.call('charge', () => Promise.reject(new Error('the line broke')), {
          ifUnknown: 'stop',
        }),
    ],
    [
      'when a message is not taken',
      'did not take a message',
      (_, ctx) => ctx.send(`${cloud.queueUrl('work')}-none`, PAYLOAD),
    ],
    [
      'when a message cannot be sent',
      'is a function, which JSON leaves out',
      (_, ctx) => ctx.send(cloud.queueUrl('work'), () => SECRET.body),
    ],
    [
      'when an attribute cannot be sent',
      'attribute',
      (_, ctx) =>
        ctx.send(cloud.queueUrl('work'), 1, { attributes: { 'aws.x': SECRET.attribute } }),
    ],
    [
      'when a write is a mistake',
      'Error',
      (_, ctx) =>
        ctx.write('card', {
          TableName: 't',
          Key: { id: 'a' },
          put: { id: 'a', card: circle() as never },
        }),
    ],
  ]
  it.each(ENDS)('%s', async (_what, says, work) => {
    const { consumer, hear, heard, leaks } = watch(cloud)
    const handler = recordHandler({ name: 'cards', ...consumer }, work)
    await hear(() => handler(sqsEvent(record(PAYLOAD)), lambdaContext()))
    expect(heard()).toContain(says)
    expect(leaks()).toEqual([])
  })

  const circle = (): object => {
    const around: Record<string, unknown> = { card: SECRET.body }
    around['self'] = around
    return around
  }

  it('in a payload that conflicts with its id', async () => {
    const { consumer, hear, heard, leaks } = watch(cloud)
    const handler = recordHandler({ name: 'cards', ...consumer }, () => {})
    const stamped = { attributes: { ...attributes, uniquerequestid: 'r-1' } }
    await hear(() => handler(sqsEvent(record(PAYLOAD, stamped)), lambdaContext()))
    await hear(() => handler(sqsEvent(record({ card: SECRET.body }, stamped)), lambdaContext()))
    expect(heard()).toContain('another payload came')
    expect(leaks()).toEqual([])
  })

  it('in attributes that do not parse', async () => {
    const { consumer, hear, heard, leaks } = watch(cloud)
    const handler = recordHandler({ name: 'cards', ...consumer }, () => {})
    const garbage = {
      uniquerequestid: `${SECRET.attribute} ${SECRET.attribute}`,
      lineclear: JSON.stringify({ format: 1, retry: SECRET.attribute, flow: SECRET.attribute }),
    }
    const bad = record(PAYLOAD, { attributes: garbage })
    await hear(() => handler(sqsEvent(bad), lambdaContext()))
    expect(heard()).toContain('do not parse')
    expect(leaks()).toEqual([])
  })

  it.each([`done:{${SECRET.result}`, `done:v2 ${SECRET.result}`, SECRET.result])(
    'when a stored answer cannot be read, and the call is not made again: %s',
    async (stored) => {
      const { consumer, store, hear, heard, leaks } = watch(cloud)
      const token = { attemptId: 'a-1', attempt: 1, fence: 1, status: 'inProgress', leaseUntil: 1 }
      const key = { pk: 'lock#cards/m-1', sk: 'token' }
      const payloadHash = bodyHash(JSON.stringify(PAYLOAD))
      await store.create([{ ...key, ...token, payloadHash, 'step:charge': stored }])
      let calls = 0
      const handler = recordHandler({ name: 'cards', ...consumer }, (_, ctx) =>
        ctx.call('charge', () => (calls += 1)),
      )
      const again = record(PAYLOAD, { messageId: 'm-1' })
      await hear(() => handler(sqsEvent(again), lambdaContext()))
      expect(heard()).toContain('has an answer that this version cannot read')
      expect(calls).toBe(0)
      expect(leaks()).toEqual([])
    },
  )

  it('when the queue is out of reach', async () => {
    const { consumer, hear, heard, leaks } = watch(cloud)
    const nowhere = `${cloud.queueUrl('work')}-none`
    const handler = recordHandler(
      { name: 'cards', ...consumer, queueUrl: nowhere, deadLetterQueueUrl: nowhere },
      () => Promise.reject(new TerminalError('no such card')),
    )
    await hear(() => handler(sqsEvent(record(PAYLOAD)), lambdaContext()))
    expect(heard()).toContain('cannot be dead-lettered')
    expect(leaks()).toEqual([])
  })

  it('when onSettled and metrics throw', async () => {
    const { consumer, hear, heard, leaks } = watch(cloud)
    const onSettled = (): never => {
      throw new Error('no settlement')
    }
    const handler = recordHandler({ name: 'cards', ...consumer, onSettled }, () => {})
    await hear(() => handler(sqsEvent(record(PAYLOAD)), lambdaContext()))
    expect(heard()).toContain('no settlement')
    expect(leaks()).toEqual([])
  })
})

describe('a schema error says where and why, and does not quote the value', () => {
  const own = {
    '~standard': {
      version: 1 as const,
      vendor: 'own',
      validate: (value: unknown) => ({
        issues: [{ message: `not ${JSON.stringify(value)}`, path: ['card'] }],
      }),
    },
  }
  const card = SECRET.body
  it.each([
    ['zod: a type', z.object({ card: z.number() }), { card }, 'card: Invalid input'],
    ['zod: a choice', z.object({ card: z.enum(['a', 'b']) }), { card }, 'card: Invalid option'],
    ['zod: a name too many', z.strictObject({}), { [SECRET.body]: 1 }, 'unrecognized_keys'],
    [
      'zod: words of the user',
      z.object({ card: z.string().refine(() => false, { error: 'no such card' }) }),
      { card },
      'card: no such card',
    ],
    [
      'zod: words of the user that quote',
      z.object({
        card: z.string().refine(() => false, { error: (it) => `not ${String(it.input)}` }),
      }),
      { card },
      'card: custom',
    ],
    ['valibot: a type', v.object({ card: v.number() }), { card }, 'card: number, expected number'],
    ['valibot: a rule', v.object({ card: v.pipe(v.string(), v.maxLength(3)) }), { card }, 'card: '],
    [
      'valibot: a number',
      v.object({ card: v.pipe(v.number(), v.maxValue(3)) }),
      { card: SECRET.number },
      'card: max_value, expected <=3',
    ],
    [
      'valibot: after a change',
      v.object({ card: v.pipe(v.string(), v.toUpperCase(), v.literal('A')) }),
      { card },
      'card: literal, expected "A"',
    ],
    ['a schema of one’s own', own, { card }, 'payload: *: refused'],
    [
      'a schema of one’s own that declares its names',
      { ...own, fields: { card: 'number' } },
      { card },
      'payload: card: refused',
    ],
    ['no JSON', z.object({}), card, 'the body is not JSON'],
    ['a wrong quote', z.object({}), `{'${card}':1}`, 'the body is not JSON (at character 1)'],
    ['half a JSON', z.object({}), `{"card":"${card}`, 'the body is not JSON'],
  ])('%s', async (_what, schema, payload, says) => {
    const { consumer, lines, leaks, hear } = watch(cloud)
    const handler = recordHandler({ name: 'cards', schema, ...consumer }, () => {})
    await hear(() => handler(sqsEvent(record(payload)), lambdaContext()))
    expect(lines.map(({ error }) => error)).toContainEqual(expect.stringContaining(says))
    expect(leaks()).toEqual([])
  })
})

describe('a flow reveals nothing of what it is given', () => {
  const cardFlow = (given: ReturnType<typeof watch>, extra: object = {}) => {
    const queue = { queueUrl: cloud.queueUrl('work'), deadLetterQueueUrl: cloud.queueUrl('dead') }
    return defineFlow({
      name: 'pay',
      key: ({ key }) => key,
      ...given.options,
      ...extra,
      stages: {
        ask: {
          schema: z.object({ key: z.string(), card: z.string(), at: z.unknown().optional() }),
          ...queue,
        },
        book: { schema: z.object({ key: z.string(), card: z.string() }), ...queue },
      },
      awaitingSteps: {
        bank: {
          schema: z.object({ id: z.string(), iban: z.string() }),
          id: ({ id }) => id,
          ...queue,
        },
      },
    })
  }
  const first = (more: object = {}) => record({ key: 'k', card: SECRET.body, ...more })
  const answer = (id: string, more = '') => record({ id, iban: SECRET.answer + more })

  it('in stages, answers, duplicates, conflicts and late ones', async () => {
    const given = watch(cloud)
    const flow = cardFlow(given)
    const ask = flow.stageHandler('ask', (_, ctx) => ctx.awaitStep('bank', 'b-1', () => {}))
    const bank = flow.answerHandler('bank', (_, ctx) =>
      ctx.next('book', { key: 'k', card: SECRET.body }),
    )
    const start = first()
    for (const each of [start, start]) await given.hear(() => ask(sqsEvent(each), lambdaContext()))
    for (const more of ['', '', 'other']) {
      await given.hear(() => bank(sqsEvent(answer('b-1', more)), lambdaContext()))
    }
    await given.hear(() => bank(sqsEvent(record({ id: '', iban: SECRET.answer })), lambdaContext()))
    await given.hear(() => bank(sqsEvent(record(SECRET.answer)), lambdaContext()))
    for (const id of ['b-1', 'b-2']) {
      await given.hear(() => flow.answer('bank', { id, iban: SECRET.answer }))
    }
    await given.hear(() => flow.answer('bank', { id: 7, iban: SECRET.answer } as never))
    await given.hear(() => flow.start({ key: 'k', card: 7, at: SECRET.body } as never))
    expect(given.heard()).toContain('another answer was accepted')
    expect(given.heard()).toContain('the schema refuses the payload')
    expect(given.leaks()).toEqual([])
  })

  it('when a stage dies', async () => {
    const given = watch(cloud)
    const flow = cardFlow(given)
    const ask = flow.stageHandler('ask', () => Promise.reject(new TerminalError('no such card')))
    await given.hear(() => ask(sqsEvent(first()), lambdaContext()))
    expect(given.heard()).toContain('no such card')
    expect(given.leaks()).toEqual([])
  })

  it('when its time is not valid', async () => {
    const given = watch(cloud)
    const flow = cardFlow(given, { sentAt: ({ at }: { at: unknown }) => at })
    const ask = flow.stageHandler('ask', () => {})
    await given.hear(() => ask(sqsEvent(first({ at: SECRET.body })), lambdaContext()))
    expect(given.heard()).toContain('sentAt(payload) gave')
    expect(given.leaks()).toEqual([])
  })
})
