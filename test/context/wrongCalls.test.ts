import { expect, it } from 'vitest'
import type { RecordContext } from '../../src/library/run/context/context.ts'
import { attemptOf, letterbox, store as openStore } from './attemptOf.ts'

/** As JavaScript, or a cast, lets it through. */
type Loose = Record<
  'send' | 'publish' | 'call' | 'idempotencyKey',
  (...given: readonly unknown[]) => Promise<unknown>
>

const QUEUE = 'https://sqs.eu-west-1.amazonaws.com/123456789012/next'
const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:paid'
const call = () => 1

const MISTAKES: readonly [string, (ctx: Loose) => Promise<unknown>, string][] = [
  [
    'send(undefined)',
    (ctx) => ctx.send(undefined, {}),
    'ctx.send: expected the URL of a queue (is its environment variable set?); got nothing. Nothing was sent.',
  ],
  ['send to an empty text', (ctx) => ctx.send('', {}), 'got an empty text'],
  ['send to a name', (ctx) => ctx.send('orders', {}), 'expected the URL of a queue'],
  [
    'send to a topic',
    (ctx) => ctx.send(TOPIC, {}),
    'ctx.send: expected the URL of a queue; got the ARN of a topic or of an event bus: use ctx.publish. Nothing was sent.',
  ],
  [
    'publish to a queue',
    (ctx) => ctx.publish(QUEUE, {}),
    'ctx.publish: expected the ARN of a topic or of an event bus; got the URL of a queue: use ctx.send. Nothing was sent.',
  ],
  [
    'send({ DelaySeconds })',
    (ctx) => ctx.send(QUEUE, {}, { DelaySeconds: 5 }),
    `ctx.send('${QUEUE}'): "DelaySeconds" is not known here: write 'delay'. Nothing was sent.`,
  ],
  [
    'publish({ delay })',
    (ctx) => ctx.publish(TOPIC, {}, { delay: 5 }),
    '"delay" is not known here',
  ],
  [
    'send({ MessageGroupId })',
    (ctx) => ctx.send(QUEUE, {}, { MessageGroupId: 'g' }),
    "write 'groupId'",
  ],
  [
    'publish({ Subject })',
    (ctx) => ctx.publish(TOPIC, {}, { Subject: 's' }),
    '"Subject" is not known here: expected attributes, groupId, maxBytes',
  ],
  [
    'options that are none',
    (ctx) => ctx.send(QUEUE, {}, '5s'),
    'options: expected an object; got a text',
  ],
  [
    'a delay that is none',
    (ctx) => ctx.send(QUEUE, {}, { delay: 'soon' }),
    'delay: expected milliseconds',
  ],
  [
    'a group with spaces',
    (ctx) => ctx.send(QUEUE, {}, { groupId: 'a b' }),
    'groupId: expected 1 to 128',
  ],
  ['a name that is a number', (ctx) => ctx.send(QUEUE, {}, { name: 1 }), 'name: expected a text'],
  ['attributes in a Map', (ctx) => ctx.send(QUEUE, {}, { attributes: new Map() }), 'got a Map'],
  [
    'an attribute that is null',
    (ctx) => ctx.send(QUEUE, {}, { attributes: { a: null } }),
    'attributes: "a"',
  ],
  ['no bytes', (ctx) => ctx.send(QUEUE, {}, { maxBytes: 0 }), 'maxBytes: expected a whole number'],
  [
    "call('x', 5)",
    (ctx) => ctx.call('x', 5),
    "ctx.call('x'): expected a function that makes the call, such as ({ idempotencyKey }) => charge(…); got a number. Nothing was called.",
  ],
  ['call of one that runs already', (ctx) => ctx.call('x', Promise.resolve()), 'got a Promise'],
  [
    "ifUnknown: 'exactly'",
    (ctx) => ctx.call('x', call, { ifUnknown: 'exactly' }),
    `ctx.call('x'): ifUnknown: expected 'repeat', 'stop' or a function that finds out; got "exactly". Nothing was called.`,
  ],
  [
    'ifUnknown that is undefined',
    (ctx) => ctx.call('x', call, { ifUnknown: undefined }),
    "expected 'repeat', 'stop' or a function that finds out; got nothing",
  ],
  [
    'an option that is not known',
    (ctx) => ctx.call('x', call, { ifUnknown: 'stop', key: 1 }),
    '"key" is not known',
  ],
  [
    "call('')",
    (ctx) => ctx.call('', call),
    'ctx.call: name: expected a text of 1 to 255 whole characters',
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
  ['call', (ctx) => ctx.call('x', 5 as never)],
  ['send', (ctx) => ctx.send('', {})],
])('a mistake in %s fails the record also when the handler swallows it', async (_, make) => {
  const { ctx, settled } = await attemptOf(openStore(), 'first')
  await make(ctx).catch(() => {})
  await expect(settled()).rejects.toMatchObject({ code: 'CONFIG' })
})
