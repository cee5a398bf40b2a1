import { AsyncLocalStorage } from 'node:async_hooks'
import type * as Lineclear from 'lineclear'
import type { CrashCloud } from 'lineclear/testing'

const running = new AsyncLocalStorage<CrashCloud>()

/** What of the cloud an example would have made itself. */
function wiring() {
  const { store, clients, clock, logger } = cloud()
  return { store, clients, clock, logger }
}

/** Of the invocation that asks. */
export function cloud(): CrashCloud {
  const now = running.getStore()
  if (now === undefined) throw new Error('asked for outside of an invocation')
  return now
}

/** The handler of an example, as the explorer wants it: all that it does, it does in this cloud. */
export function inCloud<Args extends readonly unknown[], Out>(
  cloudOfIt: CrashCloud,
  handler: (...args: Args) => Out,
): (...args: Args) => Out {
  return (...args) => running.run(cloudOfIt, () => handler(...args))
}

/**
 * `lineclear` for examples, which are made once, when they are loaded: what they define is made anew in each invocation, from
 * its own cloud.
 */
export function explored(real: typeof Lineclear): typeof Lineclear {
  const { recordHandler, invocationHandler, idempotent, lockTokens, onceForever, defineFlow } = real
  const silent = (): Lineclear.Metrics => real.emfMetrics({ write: () => {} })
  const late: Pick<
    typeof Lineclear,
    'recordHandler' | 'invocationHandler' | 'lockTokens' | 'onceForever'
  > = {
    invocationHandler: (options, handle) => (event, context) =>
      invocationHandler({ ...options, ...wiring() }, handle)(event, context),
    recordHandler: (options, handle) => (event, context) =>
      recordHandler({ ...options, ...wiring() }, handle)(event, context),
    lockTokens: <Result>(options: Parameters<typeof Lineclear.lockTokens>[0]) => ({
      begin: (...args: Parameters<Lineclear.LockTokens<Result>['begin']>) => {
        const { store, clock, logger } = wiring()
        return lockTokens<Result>({ ...options, store, clock, logger }).begin(...args)
      },
    }),
    onceForever: (options) => {
      const made = (): Lineclear.OnceForever => {
        const { store, clients, clock, logger } = wiring()
        return onceForever({ ...options, store, clients: { sqs: clients.sqs }, clock, logger })
      }
      return {
        acquire: (...args) => made().acquire(...args),
        thenEnqueue: (...args) => made().thenEnqueue(...args),
      }
    },
  }
  const lateIdempotent =
    (
      options: Lineclear.IdempotentOptions<unknown[], unknown>,
      work: (...args: unknown[]) => unknown,
    ) =>
    (...args: unknown[]) => {
      const { store, clock, logger } = wiring()
      return idempotent({ ...options, store, clock, logger }, work)(...args)
    }
  const lateFlow = (options: Parameters<typeof defineFlow>[0]) => {
    const made = () => defineFlow({ ...options, ...wiring() })
    return {
      stageHandler: (stage: never, handle: never) => (event: never, context: never) =>
        made().stageHandler(stage, handle)(event, context),
      answerHandler:
        (step: never, handle: never, otherwise: never) => (event: never, context: never) =>
          made().answerHandler(step, handle, otherwise)(event, context),
      answer: (step: never, answer: never) => made().answer(step, answer),
      start: (payload: never, startOptions: never) => made().start(payload, startOptions),
    }
  }
  return {
    ...real,
    ...late,
    emfMetrics: silent,
    idempotent: lateIdempotent as never,
    defineFlow: lateFlow as never,
  }
}
