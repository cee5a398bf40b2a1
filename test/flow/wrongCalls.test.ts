import { defineFlow } from 'lineclear'
import { memoryCloud } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'

const cloud = memoryCloud({ queues: { book: {}, quotes: {} } })

/** As JavaScript, or a cast, lets it through. */
type Loose = Record<
  'start' | 'answer' | 'extendTimeout',
  (...given: readonly unknown[]) => Promise<unknown>
>

const flow: object = defineFlow({
  name: 'trip',
  store: cloud.store,
  sqs: cloud.sqs,
  key: () => 'k',
  stages: { book: { schema: z.unknown(), queueUrl: cloud.queueUrl('book') } },
  awaits: {
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
    "answer('quote'): expected a JSON value, got undefined",
  ],
  [
    'answer(step, handler)',
    () => trip.answer('quote', () => 1),
    "answer('quote'): expected a JSON value, got function",
  ],
  [
    'answer(step, bigint)',
    () => trip.answer('quote', { price: 1n }),
    "answer('quote'): expected a JSON value, got an object (",
  ],
  [
    'answer(step, circle)',
    () => trip.answer('quote', CIRCLE),
    'expected a JSON value, got an object (',
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
