import middyjs from '@middy/core'
import fc from 'fast-check'
import { idempotent } from 'lineclear'
import { idempotency } from 'lineclear/middy'
import { fakeClock, memoryStore } from 'lineclear/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { idempotencyKeyHeader } from '../../../src/library/entries/call/http/httpEvent.ts'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { SENT_AT } from './forms.ts'
import { httpEvent } from './httpValues.ts'
import { assertUnpolluted, PATIENCE, settings } from './settings.ts'

interface Answer {
  readonly statusCode: number
  readonly body: string
}
type Handler = (event: object) => Promise<Answer>
type Work = (event: object) => Promise<Answer>

const unhandled: unknown[] = []
const note = (reason: unknown): void => void unhandled.push(reason)
beforeAll(() => void process.on('unhandledRejection', note))
afterAll(() => void process.off('unhandledRejection', note))

const options = () => ({
  store: memoryStore(),
  name: 'fuzz',
  tenant: 'none' as const,
  logger: quietLogger(),
  clock: fakeClock(SENT_AT),
  waitForOther: 0,
})

const WAYS: readonly (readonly [string, (work: Work) => Handler])[] = [
  ['idempotent', (work) => idempotent(options(), work)],
  [
    'the middleware',
    (work) => {
      const handler = middyjs(work).use(idempotency(options()))
      return async (event) => handler(event, lambdaContext())
    },
  ],
  [
    'the middleware in a chain',
    (work) => {
      const upper = { before: ({ event }: { event: object }) => void Reflect.set(event, 'seen', 1) }
      const handler = middyjs(work).use(upper).use(idempotency(options()))
      return async (event) => handler(event, lambdaContext())
    },
  ],
]

/** Requests of one history: 5,040 over all ways in the proof. */
const REQUESTS = 4
const HISTORIES = 84

it.each(WAYS)(
  'every HTTP request to %s gets a status and a body that a person can read, and no answer of another',
  async (_, make) => {
    const statuses = new Set<number>()
    await fc.assert(
      fc.asyncProperty(
        fc.array(httpEvent, { minLength: REQUESTS - 1, maxLength: REQUESTS - 1 }),
        async (events) => {
          const ran: object[] = []
          const handler = make(async (event) => {
            ran.push(event)
            return { statusCode: 201, body: `run ${ran.length}` }
          })
          // The first one is sent twice.
          const sent = [...events, ...events.slice(0, 1)]
          for (const event of sent) {
            const { statusCode, body } = await handler(event)
            statuses.add(statusCode)
            if (statusCode === 201) checkRun(event, ran[Number(body.slice(4)) - 1])
            else checkProblem(statusCode, body)
          }
          const keys = ran.map(idempotencyKeyHeader)
          expect(new Set(keys).size).toBe(keys.length)
        },
      ),
      settings(HISTORIES),
    )
    expect(unhandled).toEqual([])
    expect([...statuses]).toEqual(expect.arrayContaining([201, 400]))
    assertUnpolluted()
  },
  PATIENCE,
)

/** The answer is that of a request with this key and this body. */
function checkRun(event: object, run: object | undefined): void {
  if (run === undefined) throw new Error('an answer of no run')
  expect(idempotencyKeyHeader(run)).toBe(idempotencyKeyHeader(event))
  expect(bodyOf(run)).toBe(bodyOf(event))
}

function bodyOf(event: object): string {
  const body: unknown = Reflect.get(event, 'body') ?? null
  if (typeof body !== 'string') return JSON.stringify(body)
  try {
    return JSON.stringify(JSON.parse(body))
  } catch {
    return body
  }
}

/** A refusal says in words what is wrong. */
function checkProblem(statusCode: number, body: string): void {
  const problem = JSON.parse(body) as { readonly title?: unknown; readonly detail?: unknown }
  expect([400, 409, 422]).toContain(statusCode)
  expect(`${String(problem.title)} ${String(problem.detail)}`).toMatch(/\w{3,} .*\w{3,}/)
}
