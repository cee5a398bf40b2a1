import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { memoryStore } from 'lineclear/testing'
import type {
  LineclearAttributes,
  RunReference,
} from '../../../src/library/protocol/record/envelope/envelope.ts'
import { encodePacked } from '../../../src/library/protocol/record/envelope/lineclearAttributes.ts'
import { documented, fieldsBelow, KINDS } from './page.ts'

const SRC = join(import.meta.dirname, '../../../src')

function textOf(room: string): string {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  return files
    .filter((file) => /\.tsx?$/.test(file) && `/${file}`.includes(`/${room}/`))
    .map((file) => readFileSync(join(SRC, file), 'utf8'))
    .join('\n')
}

const texts = new Map<string, string>()

/** Whether code of a room names the field: as a property, a shorthand, or a text. */
function names(room: string, field: string): boolean {
  const text = texts.get(room) ?? textOf(room)
  texts.set(room, text)
  const name = field.replace('…', '')
  return new RegExp(`(?<![\\w])${name}(?![\\w])`).test(text) || text.includes(`'${name}'`)
}

describe.each(KINDS)('the page says of %s', (kind) => {
  it.each(fieldsBelow(`### \`${kind}\`: `).map(({ name, cells }) => [name, cells] as const))(
    'that %s has a writer and a reader, whose rooms know it',
    (name, [what, writers = '', readers = '', until]) => {
      expect([what, until]).not.toContain('')
      const rooms = (cell: string): readonly string[] => cell.split(', ')
      expect(rooms(writers).filter((room) => !names(room, name))).toEqual([])
      expect(rooms(readers).filter((room) => !names(room, name))).toEqual([])
    },
  )
})

it('a store of the tests refuses what the page does not have', async () => {
  const store = documented(memoryStore())
  const key = { pk: 'lock#orders/r1', sk: 'token' }
  await store.create([{ ...key, attempt: 1, 'step:pay': 'start' }])
  expect(() => store.create([{ ...key, colour: 'blue' }])).toThrow(/lacks colour of token/)
  expect(() => store.update([{ key, where: [], set: { colour: 'blue' } }])).toThrow(/colour/)
  const transaction = () =>
    store.transact({ key, where: [], addTo: { field: 'hue', member: 'b' } }, [])
  expect(transaction).toThrow(/hue/)
})

describe('the page has each field of a message, and no other', () => {
  const FLOW: Required<RunReference> = {
    name: 'trip',
    key: 'k',
    id: 'r1',
    epoch: 1,
    sentAt: 1,
    from: 'book',
    fence: 1,
    timeout: true,
    late: true,
  }
  const ALL: Required<Omit<LineclearAttributes, 'uniqueRequestId'>> = {
    messageId: 'm',
    resendNumber: 1,
    hops: 1,
    asked: 1,
    sentAt: 1,
    takenAt: 1,
    notBefore: 1,
    death: 1,
    reason: 'terminal',
    error: 'Error: no',
    stack: 'at',
    attempts: 1,
    source: 'arn:aws:sqs:eu-west-1:1:orders',
    consumer: 'orders',
    version: '1',
    flow: FLOW,
    traceparent: `00-${'1'.repeat(32)}-${'1'.repeat(16)}-01`,
    wrapped: true,
    payload: { sha256: 'a'.repeat(64), bytes: 1 },
  }
  const sent = JSON.parse(encodePacked(ALL)) as Record<string, object>

  it.each([
    ['## Messages', sent],
    ['`flow` has these fields', sent['flow']],
  ] as const)('%s', (heading, fields) => {
    const onPage = fieldsBelow(heading).map(({ name }) => name)
    expect(onPage.toSorted()).toEqual(Object.keys(fields ?? {}).toSorted())
  })
})
