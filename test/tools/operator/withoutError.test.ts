import type { SQSRecord } from 'aws-lambda'
import { describe, expect, it } from 'vitest'
import type { Item, StoreKey } from '../../../src/library/protocol/store/store.ts'
import { unknownFormat } from '../../../src/library/base/format.ts'
import { readDeadLetter } from '../../../src/tools/operator/dlq/deadLetter.ts'
import {
  type LetterRecords,
  type ReadRecords,
  recordsByGroup,
} from '../../../src/tools/operator/status/letterRecords.ts'
import {
  adviseWithoutError,
  whyWithoutError,
} from '../../../src/tools/operator/status/withoutError.ts'
import { sqsRecord } from './deadLetterRecord.ts'

const NOW = Date.parse('2026-05-01T12:00:00Z')
const MINUTE = 60_000
const FLOW = { name: 'shop', key: 'k1', id: 'r1', epoch: 1, sentAt: NOW, from: 'book' }
const ARN = 'arn:aws:sqs:eu-west-1:1:'

function letter(id: string, facts: object = {}, queue = 'orders'): SQSRecord {
  const record = sqsRecord({ movedFrom: ARN + queue, ...facts })
  const uniquerequestid = { ...record.messageAttributes['uniquerequestid'], stringValue: id }
  const messageAttributes = { ...record.messageAttributes, uniquerequestid }
  return { ...record, messageAttributes } as SQSRecord
}

function token(id: string, more: Item = {}): Item {
  return {
    pk: `lock#orders/${id}`,
    sk: 'token',
    attemptId: 'a',
    attempt: 1,
    fence: 1,
    created: new Date(NOW - 5 * MINUTE).toISOString(),
    ...more,
  }
}

function reading(items: readonly Item[]): ReadRecords {
  const find = ({ pk, sk }: StoreKey) =>
    items.find((item) => item['pk'] === pk && item['sk'] === sk)
  return async (keys) => keys.map((key) => ({ kind: 'found', item: find(key) }))
}

interface Told extends LetterRecords {
  readonly says: string
  readonly advice: string
}

async function told(
  records: readonly SQSRecord[],
  read: ReadRecords,
  functions: readonly string[] | 'not listed' = [],
): Promise<Told> {
  const letters = records.map((record) => readDeadLetter(record, NOW))
  const listed = functions === 'not listed' ? undefined : functions
  const byGroup = recordsByGroup({ read, functionsOf: async () => listed, now: NOW })
  await byGroup.look(letters)
  const [{ group, uniqueRequestId: example } = { group: '', uniqueRequestId: '' }] = letters
  const of = byGroup.of(group)
  const count = letters.length
  const by = { group: '1a2b' }
  const { next, advice } = adviseWithoutError({ ...of, queue: 'dead', by, example, count })
  const texts = [next, ...advice.map(({ text }) => text)]
  return { ...of, says: whyWithoutError(of, count), advice: texts.join('\n') }
}

describe('a letter without an error', () => {
  it('whose request has completed has a record, and its state is said', async () => {
    const { says, advice } = await told([letter('r1')], reading([token('r1')]))
    expect(says).toBe('its record orders/r1 has no error: it has completed')
    expect(advice).toMatch(/^lineclear explain orders\/r1\n/)
  })

  it('of a flow is told by the stages of its run', async () => {
    const idle = { pk: 'flow#shop/k1', sk: 'stage', epoch: 1, fence: 2 }
    const stages = { 'stage:book': 'settled on pay', 'stage:pay': `open 1 a ${NOW - 1} 0` }
    const run = { ...idle, uniquerequestid: 'r1', giveUpAt: NOW + MINUTE, ...stages }
    const dead = { ...run, sk: 'dead#r1', restored: '[]', error: 'Error: 503' }
    const say = async (...items: readonly Item[]): Promise<string> =>
      (await told([letter('m1', { flow: FLOW })], reading(items))).says
    const record = 'its record shop/k1'
    expect(await say(run)).toBe(`${record} has no error: its stages: book done, pay lost`)
    expect(await say(idle)).toContain(`${record} has no error: its key has no such run`)
    expect(await say(idle, dead)).toBe(`${record} says: Error: 503`)
  })

  it('is not said to have no record where that was denied', async () => {
    const { says } = await told([letter('r1')], async () => undefined)
    expect(says).toContain('whether it has a record was not read here')
    expect(says).not.toContain('was found')
  })

  it('nor where a newer version has written it, nor where functions could not be listed', async () => {
    const error = unknownFormat('an item', 2)
    const newer: ReadRecords = async (keys) => keys.map(() => ({ kind: 'notKnown', error }))
    expect((await told([letter('r1')], newer)).notRead).toBe(1)
    const nothing = reading([])
    expect((await told([letter('r1')], nothing, 'not listed')).says).toContain('was not read here')
    expect((await told([letter('r1')], nothing)).says).toContain('no record of it was found')
  })

  it('whose attempt may still run was not killed', async () => {
    const running = { status: 'inProgress', leaseUntil: NOW + MINUTE }
    const { says } = await told([letter('r1')], reading([token('r1', running)]))
    expect(says).toBe(
      'its record orders/r1 has no error: attempt 1 began 5 min ago and may still run: its claim ends in 1 min',
    )
    const lost = { status: 'inProgress', leaseUntil: NOW - 1 }
    const ended = await told([letter('r1')], reading([token('r1', lost)]))
    expect(ended.says).toContain('attempt 1 began 5 min ago and has not ended: it was killed')
  })
})

describe('several letters without an error', () => {
  const three = ['r1', 'r2', 'r3'].map((id) => letter(id))
  const error = (text: string): Item => ({ status: 'error', error: text })

  it('are not told by the record of one, and a redrive of all is not the next step', async () => {
    const { says, advice } = await told(three, reading([token('r2', error('Error: 503'))]))
    expect(says).toBe(
      '1 of 3: its record orders/r2 says: Error: 503; of 2 why is not known here: no record was found',
    )
    expect(advice).toMatch(/^lineclear explain orders\/r2\n/)
  })

  it('have the error that most of them have, and the same record is explained', async () => {
    const [one, two, other] = [
      token('r1', error('Error: closed')),
      token('r2', error('Error: line 1')),
      token('r3', error('Error: line 2')),
    ]
    const { says, advice } = await told(three, reading([one, two, other]))
    expect(says).toBe(
      '2 of 3: its record orders/r2 says: Error: line 1; other records say otherwise',
    )
    expect(advice).toMatch(/^lineclear explain orders\/r2\n/)
  })

  it('of one error go back first, each to the queue that it came from', async () => {
    const all = ['r1', 'r2', 'r3'].map((id) => token(id, error('Error: 503')))
    const { says, advice } = await told(three, reading(all))
    expect(says).toBe('its record orders/r1 says: Error: 503')
    expect(advice).toMatch(/^lineclear dlq redrive dead --group 1a2b\n/)
    expect(advice).not.toContain('--to')
    expect(advice).toContain('lineclear doctor --queue orders')
  })

  it('that came from several queues name none of them as theirs', async () => {
    const both = ['pay', 'ship'].map((queue) => letter('m1', { flow: FLOW }, queue))
    const { sources, advice } = await told(both, reading([]))
    expect(sources.map(({ queue }) => queue)).toEqual(['pay', 'ship'])
    expect(advice).toContain('lineclear doctor --queue QUEUE')
  })
})
