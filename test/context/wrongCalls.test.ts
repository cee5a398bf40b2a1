import { expect, it } from 'vitest'
import type { RecordContext } from '../../src/context/context.ts'
import { attemptOf, letterbox, store as openStore } from './attemptOf.ts'

/** As JavaScript, or a cast, lets it through. */
type Loose = Record<
  'sendTo' | 'publish' | 'once' | 'idempotencyKey',
  (...given: readonly unknown[]) => Promise<unknown>
>

const QUEUE = 'https://sqs.eu-west-1.amazonaws.com/123456789012/next'
const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:paid'
const call = () => 1

const MISTAKES: readonly [string, (ctx: Loose) => Promise<unknown>, string][] = [
  [
    'send(undefined)',
    (ctx) => ctx.sendTo(undefined, {}),
    'ctx.sendTo: expected the URL of a queue (is its environment variable set?); got nothing. Nothing was sent.',
  ],
  ['send to an empty text', (ctx) => ctx.sendTo('', {}), 'got an empty text'],
  ['send to a name', (ctx) => ctx.sendTo('orders', {}), 'expected the URL of a queue'],
  [
    'send to a topic',
    (ctx) => ctx.sendTo(TOPIC, {}),
    'ctx.sendTo: expected the URL of a queue; got the ARN of a topic or of an event bus: use ctx.publish. Nothing was sent.',
  ],
  [
    'publish to a queue',
    (ctx) => ctx.publish(QUEUE, {}),
    'ctx.publish: expected the ARN of a topic or of an event bus; got the URL of a queue: use ctx.sendTo. Nothing was sent.',
  ],
  [
    'send({ DelaySeconds })',
    (ctx) => ctx.sendTo(QUEUE, {}, { DelaySeconds: 5 }),
    `ctx.sendTo('${QUEUE}'): "DelaySeconds" is not known here: write 'delay'. Nothing was sent.`,
  ],
  [
    'publish({ delay })',
    (ctx) => ctx.publish(TOPIC, {}, { delay: 5 }),
    '"delay" is not known here',
  ],
  [
    'send({ MessageGroupId })',
    (ctx) => ctx.sendTo(QUEUE, {}, { MessageGroupId: 'g' }),
    "write 'groupId'",
  ],
  [
    'publish({ Subject })',
    (ctx) => ctx.publish(TOPIC, {}, { Subject: 's' }),
    '"Subject" is not known here: expected attributes, groupId, maxBytes',
  ],
  [
    'options that are none',
    (ctx) => ctx.sendTo(QUEUE, {}, '5s'),
    'options: expected an object; got a text',
  ],
  [
    'a delay that is none',
    (ctx) => ctx.sendTo(QUEUE, {}, { delay: 'soon' }),
    'delay: expected milliseconds',
  ],
  [
    'a group with spaces',
    (ctx) => ctx.sendTo(QUEUE, {}, { groupId: 'a b' }),
    'groupId: expected 1 to 128',
  ],
  ['a name that is a number', (ctx) => ctx.sendTo(QUEUE, {}, { name: 1 }), 'name: expected a text'],
  ['attributes in a Map', (ctx) => ctx.sendTo(QUEUE, {}, { attributes: new Map() }), 'got a Map'],
  [
    'an attribute that is null',
    (ctx) => ctx.sendTo(QUEUE, {}, { attributes: { a: null } }),
    'attributes: "a"',
  ],
  [
    'no bytes',
    (ctx) => ctx.sendTo(QUEUE, {}, { maxBytes: 0 }),
    'maxBytes: expected a whole number',
  ],
  [
    "once('x', 5)",
    (ctx) => ctx.once('x', 5),
    "ctx.once('x'): expected a function that makes the call, such as ({ idempotencyKey }) => charge(…); got a number. Nothing was called.",
  ],
  ['once of a call that runs already', (ctx) => ctx.once('x', Promise.resolve()), 'got a Promise'],
  [
    "ifUnknown: 'exactly'",
    (ctx) => ctx.once('x', call, { ifUnknown: 'exactly' }),
    `ctx.once('x'): ifUnknown: expected 'repeat', 'stop' or a function that finds out; got "exactly". Nothing was called.`,
  ],
  [
    'ifUnknown that is undefined',
    (ctx) => ctx.once('x', call, { ifUnknown: undefined }),
    "expected 'repeat', 'stop' or a function that finds out; got nothing",
  ],
  [
    'an option that is not known',
    (ctx) => ctx.once('x', call, { ifUnknown: 'stop', key: 1 }),
    '"key" is not known',
  ],
  [
    "once('')",
    (ctx) => ctx.once('', call),
    'ctx.once: name: expected a text of 1 to 255 whole characters',
  ],
  ['a key without a name', async (ctx) => ctx.idempotencyKey(), 'name: expected a text'],
  [
    'a key that is too short',
    async (ctx) => ctx.idempotencyKey('a', { maxLength: 4 }),
    'at least 16',
  ],
]

it.each(MISTAKES)(
  '%s is refused at the call, and nothing is sent or called',
  async (_, make, text) => {
    const store = openStore()
    const attempt = await attemptOf(store, 'first')
    const before = store.items()
    const refusal: unknown = await make(attempt.ctx as unknown as Loose).catch(
      (error: unknown) => error,
    )
    expect(refusal).toMatchObject({ code: 'CONFIG', message: expect.stringContaining(text) })
    const box = letterbox()
    await attempt.outbox.flush(box)
    expect(box.sent).toEqual([])
    expect(store.items()).toEqual(before)
  },
)

it.each<[string, (ctx: RecordContext) => Promise<unknown>]>([
  ['once', (ctx) => ctx.once('x', 5 as never)],
  ['send', (ctx) => ctx.sendTo('', {})],
])('a mistake in %s fails the record also when the handler swallows it', async (_, make) => {
  const { ctx, settled } = await attemptOf(openStore(), 'first')
  await make(ctx).catch(() => {})
  await expect(settled()).rejects.toMatchObject({ code: 'CONFIG' })
})
