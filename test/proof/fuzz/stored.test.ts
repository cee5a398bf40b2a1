import fc from 'fast-check'
import { hash } from 'node:crypto'
import { SQSClient } from '@aws-sdk/client-sqs'
import { defineFlow, recordHandler, type Settlement } from 'lineclear'
import { memoryStore, sqsRecord } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { readAwaiting } from '../../../src/library/protocol/claim/awaiting/awaiting.ts'
import {
  decideAnswer,
  decideTimeout,
} from '../../../src/library/protocol/claim/awaiting/decideAnswer.ts'
import { readPendingEvent } from '../../../src/library/entries/call/pendingEvents.ts'
import { decodeError, encodeError } from '../../../src/library/entries/call/replay.ts'
import { decodeValue, encodeValue } from '../../../src/library/run/context/results/storedValue.ts'
import { hashValue } from '../../../src/library/base/hashValue.ts'
import { hasCode } from '../../../src/library/base/errors.ts'
import { readDeadRun } from '../../../src/library/protocol/claim/stage/deadRun.ts'
import { readStageRecord } from '../../../src/library/protocol/claim/stage/stageRecord.ts'
import { digestOf, versionOf } from '../../../src/library/protocol/claim/stage/version.ts'
import type { Item, Value } from '../../../src/library/protocol/store/store.ts'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { assertUnpolluted, PATIENCE, settings } from './settings.ts'
import { json, text } from './values.ts'

const NOW = Date.now()
const ID = 'bad-1'
/** What an attribute may hold, of the right type and of every other. */
const value: fc.Arbitrary<Value> = fc.oneof(
  text,
  json,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 3 }).map((all) => new Set(all)),
  fc.constantFrom('inProgress', 'dying', 'error', 'unknown', 'complete', 'dead', 'accepted'),
  fc.constantFrom(
    'open 1 a 9 0',
    'retry 1 a 9 0 sent',
    'settled ends',
    'dying 1 a 9 terminal',
    'dead 1 unknown',
    'paused',
  ),
  fc.constantFrom(NOW - 1, NOW + 60_000, '[]', versionOf(NOW, ID), `${digestOf(ID)}d`),
)

/** The item with attributes taken away, exchanged and added. */
const oddOf = (item: Item, more: readonly string[]): fc.Arbitrary<Item> =>
  fc
    .tuple(
      fc.subarray(Object.keys(item), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom(...Object.keys(item), ...more), value, { maxKeys: 4 }),
    )
    .map(([gone, changed]) => ({
      ...Object.fromEntries(Object.entries(item).filter(([name]) => !gone.includes(name))),
      ...changed,
    }))

const TOKEN = {
  attemptId: 'a-1',
  attempt: 1,
  fence: 1,
  status: 'inProgress',
  leaseUntil: NOW - 1,
  payloadHash: hash('sha256', JSON.stringify({ key: ID }), 'base64url'),
}
const TOKEN_NAMES = [
  'death',
  'notBefore',
  'resendNumber',
  'confirmed',
  'ttl',
  'applied',
  'payloadHash',
  'reason',
  'error',
  'step:charge',
  'later',
]
const RUN = {
  epoch: 1,
  fence: 1,
  uniquerequestid: ID,
  giveUpAt: NOW + 60_000,
  newest: versionOf(NOW, ID),
  'stage:first': 'open 1 a-1 1 0',
}
const RUN_NAMES = [
  'waiting',
  'dropped',
  'ended',
  'forgotten',
  'last',
  'applied',
  'restored',
  'reopened',
  'stage:other',
  'later',
]
const token = oddOf(TOKEN, TOKEN_NAMES)
const run = oddOf(RUN, RUN_NAMES)

/** No server listens there: a record that has to be sent stays on its queue, which is an end too. */
const sqs = new SQSClient({
  endpoint: 'http://127.0.0.1:9',
  region: 'eu-west-1',
  credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
  maxAttempts: 1,
})
const nowhere = { deadLetterQueueUrl: 'http://127.0.0.1:9/1/dead' }

async function play(
  item: Item & { readonly pk: string; readonly sk: string },
  handle: (given: ReturnType<typeof deskOf>) => (event: never, context: never) => Promise<unknown>,
) {
  const given = deskOf()
  await given.store.create([item])
  const records = ['good-1', ID, 'good-2'].map((id) =>
    sqsRecord({ key: id }, { messageId: id, sentAt: NOW }),
  )
  await handle(given)({ Records: records } as never, lambdaContext() as never)
  expect(given.ends).toHaveLength(3)
  expect(given.ran.filter((id) => id !== ID).toSorted()).toEqual(['good-1', 'good-2'])
  expect(given.ran.filter((id) => id === ID).length).toBeLessThanOrEqual(1)
  assertUnpolluted()
  return given.ends.find(({ id }) => id === ID)?.kind ?? 'none'
}

function deskOf() {
  const ends: { readonly id: string | undefined; readonly kind: Settlement['kind'] }[] = []
  const store = memoryStore()
  const ran: string[] = []
  const options = {
    store,
    logger: quietLogger(),
    clock: { now: () => NOW, sleep: async () => {} },
    clients: { sqs },
    onSettled: (settlement: Settlement, message?: { readonly uniqueRequestId: string }): void => {
      ends.push({ id: message?.uniqueRequestId, kind: settlement.kind })
    },
  }
  return { ends, store, ran, options }
}

it(
  'whatever stands in a token: its record ends once, and no other fails for it',
  async () => {
    const kinds = new Set<string>()
    await fc.assert(
      fc.asyncProperty(token, async (item) => {
        const stored = { ...item, pk: `lock#orders/${ID}`, sk: 'token' }
        const kind = await play(stored, ({ ran, options }) =>
          recordHandler({ name: 'orders', ...options, ...nowhere }, async (payload, ctx) => {
            await ctx.call('charge', () => 'receipt')
            ran.push((payload as { key: string }).key)
          }),
        )
        kinds.add(kind)
      }),
      settings(400),
    )
    expect([...kinds]).toEqual(expect.arrayContaining(['completed', 'failed', 'duplicate']))
  },
  PATIENCE,
)

it(
  'whatever stands in a stage record: its record ends once, and no other fails for it',
  async () => {
    const kinds = new Set<string>()
    await fc.assert(
      fc.asyncProperty(run, fc.option(run), async (item, deadRun) => {
        const stored = { ...item, pk: `flow#trip/${ID}`, sk: 'stage' }
        const kind = await play(stored, ({ ran, options, store }) => {
          if (deadRun !== null) void store.create([{ ...deadRun, pk: stored.pk, sk: `dead#${ID}` }])
          const schema = z.object({ key: z.string() })
          return defineFlow({
            name: 'trip',
            key: ({ key }) => key,
            ...options,
            stages: { first: { schema, ...nowhere } },
          }).stageHandler('first', ({ key }) => ran.push(key))
        })
        kinds.add(kind)
      }),
      settings(400),
    )
    expect([...kinds]).toEqual(expect.arrayContaining(['completed', 'failed', 'duplicate']))
  },
  PATIENCE,
)

it(
  'readers of items give a verdict, or say that they cannot',
  () => {
    const step = {
      epoch: 1,
      need: 1,
      count: 0,
      until: NOW,
      uniquerequestid: ID,
      'step:s': 'waiting',
    }
    const keyed = { pk: 'p', sk: 's' }
    fc.assert(
      fc.property(oddOf(step, ['joinedBy', 'step:t']), run, value, (odd, record, letter) => {
        const awaiting = readAwaiting({ ...keyed, ...odd })
        decideAnswer(awaiting, { stepId: 's', hash: 'h' })
        decideTimeout(awaiting, NOW)
        readStageRecord({ ...keyed, ...record })
        readDeadRun({ ...keyed, ...record })
        expect(codeOf(() => readPendingEvent({ letter }))).toMatch(/^(none|STORE_UNAVAILABLE)$/)
        expect(decodeError(typeof letter === 'string' ? letter : '')).toMatchObject({
          code: 'TERMINAL',
        })
      }),
      settings(3_000),
    )
    assertUnpolluted()
  },
  PATIENCE,
)

function codeOf(read: () => unknown): string {
  try {
    read()
    return 'none'
  } catch (error) {
    return hasCode(error, 'STORE_UNAVAILABLE') ? 'STORE_UNAVAILABLE' : String(error)
  }
}

const parsed = json.map(parseOr)

function parseOr(given: string): unknown {
  try {
    return JSON.parse(given)
  } catch {
    return given
  }
}

it(
  'what is stored comes back as it was, __proto__ among it',
  () => {
    fc.assert(
      fc.property(parsed, (given) => {
        expect(JSON.stringify(decodeValue(encodeValue(given)))).toBe(JSON.stringify(given))
        const error = decodeError(
          encodeError(Object.defineProperties(new Error('no'), fieldsOf(given))),
        )
        expect(error.message).toBe('no')
        expect(error).toBeInstanceOf(Error)
        expect(Object.getPrototypeOf(error)).toBe(Object.getPrototypeOf(decodeError('x')))
      }),
      settings(3_000),
    )
    assertUnpolluted()
  },
  PATIENCE,
)

/** As own fields, also under names that an assignment would not set. */
function fieldsOf(given: unknown): PropertyDescriptorMap {
  const taken = ['name', 'message', 'stack', 'cause', 'code']
  const entries = Object.entries(typeof given === 'object' ? (given ?? {}) : {}).filter(
    ([name]) => !taken.includes(name),
  )
  const described = entries.map(([name, held]) => [
    name,
    { value: held, enumerable: true, configurable: true },
  ])
  return Object.fromEntries(described) as PropertyDescriptorMap
}

it(
  'payloads that differ have fingerprints that differ',
  () => {
    fc.assert(
      fc.property(parsed, parsed, (one, other) => {
        const same = sorted(one) === sorted(other)
        expect(hashValue(one) === hashValue(other)).toBe(same)
      }),
      settings(3_000),
    )
  },
  PATIENCE,
)

/** The order of names is not part of a payload. */
function sorted(given: unknown): string {
  if (Array.isArray(given)) return `[${given.map(sorted).join()}]`
  if (typeof given !== 'object' || given === null)
    return typeof given === 'number' ? spelled(given) : JSON.stringify(given)
  const names = Object.keys(given).toSorted()
  const own = new Map(Object.entries(given))
  return `{${names.map((name) => `${JSON.stringify(name)}:${sorted(own.get(name))}`).join()}}`
}

const spelled = (given: number): string => (Object.is(given, -0) ? '-0' : String(given))
