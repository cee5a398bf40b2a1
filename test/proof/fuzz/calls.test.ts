import { idempotent } from 'lineclear'
import { idempotencyKeyHeader } from '../../../src/library/entries/call/http/httpEvent.ts'
import { jmespathOf } from '../../call/jmespathOf.ts'
import { memoryStore } from 'lineclear/testing'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { assertUnpolluted, PATIENCE, settings } from './settings.ts'
import { httpEvent as event } from './httpValues.ts'
import { json, text } from './values.ts'

const quiet = () => ({
  store: memoryStore(),
  name: 'fuzz',
  logger: quietLogger(),
  waitForOther: 0,
})

it(
  'whatever a client sends: it is answered, run at most once, and replayed with the same answer',
  async () => {
    const statuses = new Set<number>()
    await fc.assert(
      fc.asyncProperty(event, event, async (one, other) => {
        const ran: object[] = []
        const handler = idempotent({ ...quiet(), tenant: 'none' }, async (given: object) => {
          ran.push(given)
          return { statusCode: 201, body: String(ran.length) }
        })
        const answers = await Promise.all([one, other, one].map((each) => handler(each)))
        const again = await handler(one)
        for (const { statusCode } of answers) statuses.add(statusCode)
        expect(ran.filter((each) => each === one).length).toBeLessThanOrEqual(1)
        expect(ran.every((each) => idempotencyKeyHeader(each) !== undefined)).toBe(true)
        checkEnds(ran, one, other, again.statusCode)
      }),
      settings(700),
    )
    expect([...statuses].toSorted((a, b) => a - b)).toEqual([201, 400, 409, 422])
    assertUnpolluted()
  },
  PATIENCE,
)

function checkEnds(ran: readonly object[], one: object, other: object, again: number): void {
  const [key1, key2] = [one, other].map(idempotencyKeyHeader)
  expect(again === 201 || !ran.includes(one)).toBe(true)
  expect(again === 400).toBe(key1 === undefined)
  const runs = [key1, key2].filter((each) => each !== undefined).length
  // Another key is another request, in any order.
  expect(key1 === key2 ? runs : ran.length).toBe(runs)
}

const EXPRESSIONS = [
  'id',
  '[id, n]',
  '{a: id, b: n}',
  'headers."idempotency-key"',
  'powertools_json(body)',
  'powertools_json(body).id',
  '@',
  '*',
  '"__proto__"',
  'constructor.name',
  'to_string(@)',
  'length(@)',
  'keys(@)',
  'sort(@)',
  '[?id]',
  'max_by(@, &n)',
  'null',
].map((expression) => jmespathOf(expression))
const odd = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withSet: true,
  withNullPrototype: true,
  maxDepth: 2,
})
const given = fc.oneof(odd, json.map(parseOr), event)
const selector = fc.oneof(
  fc.constantFrom(...EXPRESSIONS),
  odd.map((value) => (): unknown => value),
  text.map((message) => (): unknown => {
    throw new Error(message)
  }),
)

it(
  'whatever a key function or an expression gives: run once, or refused with a code',
  async () => {
    const seen = new Set<string>()
    await fc.assert(
      fc.asyncProperty(
        given,
        selector,
        fc.constantFrom('sha256', 'plain'),
        async (input, select, hash) => {
          let runs = 0
          const options = { ...quiet(), key: select as () => string, hash: hash as 'plain' }
          const act = idempotent(options, async (_input: unknown) => {
            runs += 1
            return { statusCode: 200, body: 'done' }
          })
          const first = await endOf(act(input))
          const second = await endOf(act(input))
          seen.add(first)
          expect(first).toMatch(/^(done|answered|REJECTED)$/)
          expect(second).toBe(first)
          expect(runs).toBe(first === 'done' ? 1 : 0)
        },
      ),
      settings(1_500),
    )
    expect([...seen].toSorted()).toEqual(['REJECTED', 'answered', 'done'])
    assertUnpolluted()
  },
  PATIENCE,
)

async function endOf(answer: Promise<{ readonly statusCode: number }>): Promise<string> {
  try {
    const { statusCode } = await answer
    return statusCode === 200 ? 'done' : 'answered'
  } catch (error) {
    return String(error instanceof Error && 'code' in error ? error.code : error)
  }
}

function parseOr(from: string): unknown {
  try {
    return JSON.parse(from)
  } catch {
    return from
  }
}
