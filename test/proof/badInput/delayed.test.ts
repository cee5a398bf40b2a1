import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Item } from '../../../src/library/protocol/store/store.ts'
import { writeDelayed } from '../../../src/library/protocol/claim/delayed/delayedRow.ts'
import { sampled } from '../depth.ts'
import {
  type DelayedCloud,
  delayedCloud,
  HOUR,
  startEngine,
} from '../../features/delay/delayedCloud.ts'

let engine: Awaited<ReturnType<typeof startEngine>>
beforeAll(async () => {
  engine = await startEngine()
})
afterAll(() => engine.stop())

type Change = Readonly<Record<string, Item[string] | undefined>>
const message = (changes: object): Change => ({
  message: JSON.stringify({ body: '{}', attributes: [], ...changes }),
})

/** Rows that this version would not have written: they are left as they are, and reported. */
const LEFT_ALONE: readonly (readonly [string, Change])[] = [
  ['a status of a newer version', { st: 'paused' }],
  ['no status', { st: undefined }],
  ['no message', { message: undefined }],
  ['a message that is no JSON', { message: '{' }],
  ['a message that is a list', { message: '[]' }],
  ['a field of a newer version in the message', message({ colour: 'blue' })],
  ['no body', message({ body: undefined })],
  ['a body that is a number', message({ body: 7 })],
  ['attributes that are an object', message({ attributes: {} })],
  ['an attribute without a type', message({ attributes: [['a', { text: 'x' }]] })],
  ['an attribute without a value', message({ attributes: [['a', { type: 'String' }]] })],
  [
    'an attribute whose name is a number',
    message({ attributes: [[7, { type: 'String', text: '' }]] }),
  ],
  ['a group that is a number', message({ groupId: 7 })],
  ['a queue that is a file', { queue: 'file:///etc/passwd' }],
  ['a queue with a line break', { queue: 'https://sqs.eu-west-1.amazonaws.com/1/a\nb' }],
  ['a queue that is a topic', { queue: 'arn:aws:sns:eu-west-1:123456789012:paid' }],
  ['a due time in words', { due: 'tomorrow' }],
  ['a negative retention', { keepFor: -1 }],
  ['a run that is a number', { run: 7 }],
  ['no sender', { by: undefined }],
  ['no request', { uniquerequestid: undefined }],
]

/** Rows that can be read, and that their queue does not take. */
const REFUSED: readonly (readonly [string, Change])[] = [
  ['an empty body', message({ body: '' })],
  ['a character that SQS does not take', message({ body: '\u0000' })],
  ['eleven attributes', message({ attributes: eleven() })],
]

function eleven(): unknown {
  return Array.from({ length: 11 }, (_, nth) => [`a${nth}`, { type: 'String', text: 'x' }])
}

/** A bad row, the longest due, among good ones. */
async function among(
  cloud: DelayedCloud,
  change: Change,
): Promise<Item & { pk: string; sk: string }> {
  const row = (id: string, due: number) =>
    writeDelayed({
      id,
      queue: cloud.queueUrl('reminders'),
      message: { body: '"good"', attributes: {} },
      due,
      now: 0,
      by: 'orders',
      uniqueRequestId: 'r1',
      run: undefined,
      keepFor: HOUR,
    })
  const now = cloud.clock.now()
  const given = Object.entries({ ...row('bad', now - HOUR), ...change })
  const bad = {
    ...Object.fromEntries(given.filter(([, value]) => value !== undefined)),
    pk: 'later#bad',
    sk: 'later',
  } as Item & { pk: string; sk: string }
  const good = Array.from({ length: 20 }, (_, nth) => row(`good${nth}`, now))
  await cloud.store.create([bad, ...good])
  return bad
}

describe.each([
  ['in memory', async () => delayedCloud(), 1],
  ['on DynamoDB', () => engine.cloud(), 5],
] as const)('a bad row of a delayed message, %s', (_where, open, every) => {
  it.each(sampled(LEFT_ALONE, every))(
    'with %s is left alone and reported; the others are sent',
    async (_what, change) => {
      const cloud = await open()
      const bad = await among(cloud, change)
      const { delayed } = await cloud.sweep()
      expect(delayed).toMatchObject({ sent: 20, notKnown: 1, failed: 0 })
      expect(await cloud.row(bad)).toEqual({ ...bad, format: 1 })
      expect(cloud.lines).toContainEqual(
        expect.objectContaining({
          level: 'error',
          fields: { error: expect.stringContaining('later#bad') },
        }),
      )
    },
  )

  it.each(sampled(REFUSED, every))(
    'with %s stays due; the others are sent',
    async (_what, change) => {
      const cloud = await open()
      const bad = await among(cloud, change)
      const { delayed } = await cloud.sweep()
      expect(delayed).toMatchObject({ sent: 20, notKnown: 0, failed: 1 })
      expect(await cloud.row(bad)).toMatchObject({ st: 'due' })
    },
  )
})
