import {
  type HandlerResult,
  defineFlow,
  producer,
  type RecordContext,
  recordHandler,
  type RecordHandlerOptions,
} from 'lineclear'
import { memoryStore } from 'lineclear/testing'
import { z } from 'zod'
import { any } from './row.ts'

const store = memoryStore()
const MAIL = 'https://sqs.eu-west-1.amazonaws.com/123456789012/mail'
const record = (options: Partial<Omit<RecordHandlerOptions, 'schema'>>): unknown =>
  recordHandler({ name: 'orders', store, ...options }, () => {})

/** What looks like a mistake and is none, with the reason: it is accepted at once. */
export const TAKEN: readonly (readonly [what: string, why: string, make: () => unknown])[] = [
  ['a number for a duration', 'it is milliseconds', () => record({ timeoutMargin: 500 })],
  ['undefined for an option', 'it is left out', () => record(any({ concurrency: undefined }))],
  ['a handler that is not async', 'it has ended when it returns', () => record({})],
  ['no options of a producer', 'it has defaults for all', () => producer()],
  [
    'two handlers of two names',
    'each runs its own copy',
    () => [record({}), record({ name: 'mail' })],
  ],
  [
    'final: false',
    'it is what the option says when it is left out',
    () =>
      defineFlow(
        any({
          name: 'trip',
          store,
          key: () => 'k',
          stages: { book: { schema: z.object({}), final: false } },
        }),
      ),
  ],
  [
    'a flow of one stage that is not final',
    'it ends when the stage sends nothing on',
    () =>
      defineFlow({
        name: 'trip',
        store,
        key: () => 'k',
        stages: { book: { schema: z.object({}) } },
      }),
  ],
]

const stock = { TableName: 'stock', Key: { sku: 's' } }

/** The same in a handler, and its result: payloads on the queue, items in the table. */
export const DONE: readonly (readonly [
  what: string,
  why: string,
  work: (ctx: RecordContext) => HandlerResult,
  came: { readonly mail?: readonly unknown[]; readonly stock?: readonly unknown[] },
])[] = [
  [
    'an optional field that is undefined in a payload',
    'JSON has no such field, and the schema of the other side takes none for none',
    (ctx) => ctx.send(MAIL, { id: 'a', note: undefined }),
    { mail: [{ id: 'a' }] },
  ],
  [
    'an optional field that is undefined in an item',
    'the item has no such attribute',
    (ctx) => ctx.write('n', { ...stock, put: { n: 1, note: undefined } }),
    { stock: [{ sku: 's', n: 1 }] },
  ],
  [
    'a Date in a payload',
    'JSON writes it as a text of ISO 8601, which newerThan and sentAt read',
    (ctx) => ctx.send(MAIL, { at: new Date(0) }),
    { mail: [{ at: '1970-01-01T00:00:00.000Z' }] },
  ],
  [
    'a send that is not awaited',
    'it goes out when the handler has ended',
    (ctx) => void ctx.send(MAIL, { id: 'a' }),
    { mail: [{ id: 'a' }] },
  ],
  [
    'two sends of one payload',
    'a message for each call; one queue may be named twice',
    async (ctx) => [await ctx.send(MAIL, { id: 'a' }), await ctx.send(MAIL, { id: 'a' })],
    { mail: [{ id: 'a' }, { id: 'a' }] },
  ],
  [
    'a handler that gives something back',
    'nothing is made of it',
    () => any({ statusCode: 200 }),
    {},
  ],
]
