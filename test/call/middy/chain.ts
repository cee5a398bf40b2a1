import middyjs, { type MiddlewareObj } from '@middy/core'
import type { Context } from 'aws-lambda'
import { idempotency, type IdempotencyOptions } from 'lineclear/middy'
import { fakeClock } from 'lineclear/testing'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { faultyStore } from '../faultyStore.ts'

export type Work = (event: unknown, run: number) => unknown
export type Options = Partial<IdempotencyOptions<unknown, unknown>>
export interface Around {
  /** Used before ours: outer middlewares. */
  readonly outer?: readonly MiddlewareObj[]
  /** Used after ours: inner middlewares. */
  readonly inner?: readonly MiddlewareObj[]
  readonly plugin?: middyjs.PluginObject
}

/** A middy handler with our middleware in its chain, and its record. */
export function chain(
  work: Work,
  options: Options = {},
  { outer = [], inner = [], plugin = {} }: Around = {},
) {
  const store = faultyStore()
  const logger = quietLogger()
  const clock = fakeClock()
  let runs = 0
  const handler = middyjs(async (event: unknown) => work(event, (runs += 1)), plugin)
  const own = idempotency({
    store,
    logger,
    clock,
    key: () => 'k',
    tenant: 'none',
    payload: 'ignore',
    waitForOther: 0,
    ...options,
  })
  for (const middleware of [...outer, own, ...inner]) handler.use(middleware)
  return {
    store,
    logger,
    clock,
    runs: () => runs,
    call: async (event: unknown = {}, context: Context = lambdaContext()): Promise<unknown> =>
      handler(event, context),
    token: () => store.items().find(({ sk }) => sk === 'token'),
    /** Whether the next caller may run. */
    isFree: () => store.items().find(({ sk }) => sk === 'token')?.['leaseUntil'] === 0,
  }
}

export interface Answer {
  readonly statusCode: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export function caught(call: Promise<unknown>): Promise<unknown> {
  return call.catch((error: unknown) => error)
}

/** A context whose remaining time runs down, as in Lambda. Milliseconds. */
export function runningOut(left: number): Context {
  const end = Date.now() + left
  return { ...lambdaContext(), getRemainingTimeInMillis: () => end - Date.now() }
}
