import { defineFlow } from 'lineclear'
import { memoryCloud } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'

const cloud = memoryCloud({ queues: { book: {}, quotes: {} } })

/** As JavaScript, or a cast, lets it through. */
type Loose = Record<
  'start' | 'answer' | 'extendTimeout' | 'reset' | 'answerHandler',
  (...given: readonly unknown[]) => Promise<unknown>
>

const flow: object = defineFlow({
  name: 'trip',
  store: cloud.store,
  clients: cloud.clients,
  key: () => 'k',
  stages: { book: { schema: z.unknown(), queueUrl: cloud.queueUrl('book') } },
  awaitingSteps: {
    quote: { schema: z.unknown(), id: () => 'q', queueUrl: cloud.queueUrl('quotes') },
  },
})

const trip = flow as Loose

const CIRCLE: Record<string, unknown> = {}
CIRCLE['self'] = CIRCLE

const MISTAKES: readonly [string, () => Promise<unknown>, string][] = [
  [
    'start(payload, null)',
    () => trip.start({}, null),
    "defineFlow('trip').start: options: expected an object; got null. Nothing was sent.",
  ],
  ['start(payload, id)', () => trip.start({}, 'r1'), 'options: expected an object; got a text'],
  ['start(payload, list)', () => trip.start({}, ['r1']), 'expected an object; got a list'],
  ['start({ id })', () => trip.start({}, { id: 'r1' }), '"id" is not known here'],
  ['start({ sentAt: null })', () => trip.start({}, { sentAt: null }), 'got null. Nothing was sent'],
  [
    'answer(step)',
    () => trip.answer('quote'),
    "defineFlow('trip').answer('quote'): the payload at $ is undefined: expected a JSON value. Nothing was sent.",
  ],
  [
    'answer(step, handler)',
    () => trip.answer('quote', () => 1),
    "answer('quote'): the payload at $ is a function, which JSON leaves out",
  ],
  [
    'answer(step, bigint)',
    () => trip.answer('quote', { price: 1n }),
    'the payload at $.price is a bigint, which JSON does not have',
  ],
  [
    'answer(step, circle)',
    () => trip.answer('quote', CIRCLE),
    'the payload at $.self contains itself',
  ],
  [
    'answer(step, map)',
    () => trip.answer('quote', { prices: new Map() }),
    'the payload at $.prices is a Map, which JSON makes {}',
  ],
  ['answer(payload)', () => trip.answer({}), 'there is none of this name; there are: quote'],
  [
    'extendTimeout(step, undefined)',
    () => trip.extendTimeout('quote', undefined, '1h'),
    "defineFlow('trip').extendTimeout('quote'): expected the id that ctx.awaitStep was given; got nothing. Nothing was moved.",
  ],
  [
    'extendTimeout(step, answer)',
    () => trip.extendTimeout('quote', { id: 'q' }, '1h'),
    'got an object. Nothing was moved.',
  ],
  ['extendTimeout(step, id)', () => trip.extendTimeout('quote', 'q'), 'by: expected milliseconds'],
  [
    'answerHandler(step, handler, null)',
    async () => trip.answerHandler('quote', () => {}, null),
    "defineFlow('trip').answerHandler('quote'): expected an object of options; got null",
  ],
  [
    'extendTimeout of no step',
    () => trip.extendTimeout('quotes', 'q', '1h'),
    'there is none of this name; there are: quote',
  ],
]

it.each(MISTAKES)('%s is refused with what was expected', async (_call, wrong, message) => {
  await expect(wrong()).rejects.toMatchObject({
    code: 'CONFIG',
    message: expect.stringContaining(message),
  })
})

const WAITS: readonly [string, readonly unknown[], string][] = [
  ['id', [5, () => {}], 'expected one or more ids'],
  ['no ids', [undefined, () => {}], 'expected one or more ids'],
  ['no request', ['q'], 'request: expected a function that makes the request; got nothing'],
  ['a promise', ['q', Promise.resolve()], 'request: expected a function that makes the request'],
  ['a misspelt timeout', ['q', () => {}, { timeOut: '5m' }], `"timeOut" is not known here`],
  ['a timeout alone', ['q', () => {}, '5m'], 'expected an object of options'],
]

it.each(WAITS)(
  'awaitStep with %s is refused before the step is saved',
  async (_, given, message) => {
    const errors: unknown[] = []
    const first = memoryCloud({ queues: { book: {}, quotes: {} } })
    const { store, clients, clock, logger } = first
    const waiting = defineFlow({
      name: 'trip',
      store,
      clients,
      clock,
      logger,
      key: () => 'k',
      stages: { book: { schema: z.unknown(), queueUrl: first.queueUrl('book') } },
      awaitingSteps: {
        quote: { schema: z.unknown(), id: () => 'q', queueUrl: first.queueUrl('quotes') },
      },
    })
    const book = waiting.stageHandler('book', async (_payload, ctx) => {
      const awaitStep = ctx.awaitStep as (...all: readonly unknown[]) => Promise<void>
      await awaitStep('quote', ...given).catch((error: unknown) => errors.push(error))
    })
    await waiting.start({})
    await first.deliver('book', book)
    expect(errors).toMatchObject([{ code: 'CONFIG', message: expect.stringContaining(message) }])
    expect(store.items().filter(({ sk }) => JSON.stringify(sk).includes('await#'))).toEqual([])
  },
)
