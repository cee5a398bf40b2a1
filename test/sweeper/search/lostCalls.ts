import middyjs from '@middy/core'
import { idempotent, type IdempotentOptions, invocationHandler, sweepHandler } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { idempotency } from 'lineclear/middy'
import type { Clock } from '../../../src/library/base/clock.ts'
import type { Item } from '../../../src/library/protocol/store/store.ts'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { testTime } from '../../flow/flowHarness.ts'
import { SECOND, storeOf } from './lostAttempts.ts'
import type { SweepOptions } from '../../../src/library/entries/sweeper/sweepHandler.ts'

export const FORMS = ['idempotent', 'middleware', 'invocationHandler'] as const
type Form = (typeof FORMS)[number]
type Call = (event: string, context: ReturnType<typeof lambdaContext>) => Promise<unknown>
type Options = Pick<IdempotentOptions<readonly [string], string>, 'retention'>

/** A killed call does not answer before its invocation ends. */
const NO_TIMEOUT = { timeoutEarlyInMillis: 0 } as const

/** Calls of functions that run once per key, some of which are killed, and sweepers that search for them. */
export async function lostCalls(
  kind: 'memory' | 'DynamoDB',
  cloud: LocalCloud,
  more: Options & { readonly form?: Form } = {},
) {
  const { form = 'idempotent', ...own } = more
  const store = await storeOf(kind, cloud)
  const clock = testTime()
  const logger = quietLogger()
  const wrap = (work: (id: string) => Promise<string>, time: Clock = clock): Call => {
    const all = { store, clock: time, logger, ...own }
    const common = { ...all, name: 'pay', hash: 'plain', payload: 'ignore' } as const
    switch (form) {
      case 'idempotent':
        return idempotent(
          { ...common, key: (id: string) => id },
          (id: string, _context?: unknown) => work(id),
        )
      case 'middleware': {
        const options = { ...common, key: (event: { id: string }) => event.id }
        const chain = middyjs(async ({ id }: { id: string }) => work(id), NO_TIMEOUT).use(
          idempotency(options),
        )
        return (id, context) => chain({ id }, context)
      }
      case 'invocationHandler':
        return invocationHandler({ ...all, name: 'pay', key: (id: string) => id }, work)
    }
  }
  const item = async (id: string): Promise<Item | undefined> => {
    const [read] = await store.read([{ pk: `key#pay/${id}`, sk: 'token' }], { consistent: true })
    return read?.kind === 'found' ? read.item : undefined
  }
  /** A dead process renews nothing, and gives no sign of life. */
  const dead: Clock = { now: () => clock.now(), sleep: () => new Promise(() => {}) }
  const ran: string[] = []
  const call = wrap(async (id) => {
    ran.push(id)
    return `done ${id}`
  })
  return {
    store,
    clock,
    ran,
    lines: logger.lines,
    item,
    isListed: async (id: string) => (await item(id))?.['statusShard'] !== undefined,
    sweeper: (of: Partial<SweepOptions> = {}) =>
      sweepHandler({ store, clock, logger, clients: { sqs: cloud.sqs }, ...of }),
    call: (id: string) => call(id, lambdaContext(25 * SECOND)),
    /** Runs a call that is killed: no code of it runs from then on. */
    killed: async (id: string) => {
      const { promise: begun, resolve } = Promise.withResolvers<void>()
      const killing = wrap(() => {
        resolve()
        return new Promise<never>(() => {})
      }, dead)
      void killing(id, lambdaContext(25 * SECOND))
      await begun
    },
  }
}
