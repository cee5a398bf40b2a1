import { ConfigError, messageOf, UnknownOutcomeError } from '../../base/errors.ts'
import { stableId } from '../../base/ids.ts'
import { kindOf } from '../../base/kindOf.ts'
import { unknownName } from '../../base/options.ts'
import { type OutsideCalls, STARTED } from '../../protocol/claim/hold.ts'
import type { CallOptions, OutsideCall, RecordContext, Stored, Verified } from './context.ts'
import { uniqueNames } from './effectNames.ts'
import type { EffectScope, OpenAttempt } from './effectScope.ts'
import { neverReached } from './neverReached.ts'
import { openResults, type Results } from './results.ts'

/** The calls run in parallel; their results are stored one after the other. */
export function outsideCalls(attempt: OpenAttempt): Pick<RecordContext, 'call' | 'idempotencyKey'> {
  const { scope, track, assertOpen, logger, openCalls, now } = attempt
  const { uniqueRequestId, consumer, hold, trace } = scope
  const calls = inOrder(attempt)
  const path = [uniqueRequestId, consumer, String(hold.attempt)]
  const results = openResults({ ...attempt.results, calls, path, logger })
  const names = uniqueNames('call')
  return {
    idempotencyKey: (name, options) => shortKey('ctx.idempotencyKey', scope, name, options),
    call: <T>(name: string, make: OutsideCall<T>, given: CallOptions<T> = {}) =>
      track(async () => {
        const here = names.check(name)
        const ifUnknown = checkCall(here, make, given)
        names.begin(name)
        const idempotencyKey = idempotencyKeyOf(scope, name)
        const open = async (): Promise<T> => {
          // @protects no outside call begins after the end of the attempt
          assertOpen()
          openCalls.set(name, now())
          try {
            return await make({ idempotencyKey })
          } finally {
            openCalls.delete(name)
          }
        }
        const made = trace === undefined ? open : () => trace.call('call', name, open)
        const verify =
          typeof ifUnknown === 'function' ? async () => ifUnknown({ idempotencyKey }) : undefined
        const mayRepeat = ifUnknown === 'repeat'
        const asked = { calls, results, name, here, mayRepeat, call: made, verify, logger }
        // The stored result has the type that `make` returned, because one name is used for one call.
        return callOnce(asked) as Promise<Stored<T>>
      }, 'is judged by the handler'),
  }
}

/** No call begins after the attempt has ended. The result of a call that was made is still stored, by a fenced write. */
function inOrder({ scope, inOrder: serially, assertOpen }: OpenAttempt): OutsideCalls {
  const { calls } = scope.hold
  return {
    ...calls,
    store: (name, value, before) =>
      serially(async () => {
        if (value === STARTED) assertOpen()
        return calls.store(name, value, before)
      }),
    forget: (name) => serially(() => calls.forget(name)),
  }
}

function idempotencyKeyOf(
  scope: Pick<EffectScope, 'uniqueRequestId' | 'consumer'>,
  name: string,
): string {
  return stableId(scope.uniqueRequestId, scope.consumer, 'call', name)
}

/** 96 bits: among a billion keys, the probability of two equal ones is 1 to 100 billion. */
const SHORTEST_KEY = 16

/** @param here how errors name the call */
export function shortKey(
  here: string,
  scope: Pick<EffectScope, 'uniqueRequestId' | 'consumer'>,
  name: unknown,
  { maxLength }: { readonly maxLength?: number } = {},
): string {
  if (typeof name !== 'string' || name === '') {
    throw new ConfigError(`${here}: name: expected a text that is not empty; got ${kindOf(name)}`)
  }
  if (maxLength !== undefined && !(Number.isInteger(maxLength) && maxLength >= SHORTEST_KEY)) {
    throw new ConfigError(
      `${here}('${name}'): maxLength: expected a whole number of at least ${SHORTEST_KEY}, so that no two keys are the same; ` +
        `got ${kindOf(maxLength)}`,
    )
  }
  return idempotencyKeyOf(scope, name).slice(0, maxLength)
}

/** An outside call, with what is needed to make it once. */
interface AskedCall {
  readonly calls: OutsideCalls
  readonly results: Results
  readonly name: string
  /** How the log names it. */
  readonly here: string
  /** The outside system recognises the idempotency key. */
  readonly mayRepeat: boolean
  call(): Promise<unknown>
  /** undefined: the outside system cannot be asked. */
  readonly verify: (() => Promise<Verified<unknown>>) | undefined
  readonly logger: OpenAttempt['logger']
}

/** @returns the result as it is stored */
async function callOnce(asked: AskedCall): Promise<unknown> {
  const { calls, name, mayRepeat, verify, results } = asked
  const stored = await calls.stored(name)
  if (stored === undefined) {
    calls.assertRoom(name)
    if (mayRepeat) return perform(asked, undefined)
    const refusedBy = await calls.store(name, STARTED, undefined)
    // @protects the start of a call is stored before it
    if (refusedBy !== undefined) return callOnce(asked)
    return verify !== undefined ? perform(asked, STARTED) : performInDoubt(asked)
  }
  if (stored !== STARTED) return replay(asked, stored)
  // The call was started but has no result: an attempt died during the call, or the result could not be stored.
  if (mayRepeat) return perform(asked, STARTED)
  const verified = await verify?.()
  if (verified?.outcome === 'done') return results.keep(name, verified.result, STARTED)
  if (verified?.outcome === 'not done') return perform(asked, STARTED)
  // @protects a call that was begun is not made again
  // @without return perform(asked, STARTED)
  throw inDoubt(name)
}

async function perform(asked: AskedCall, before: string | undefined): Promise<unknown> {
  return asked.results.keep(asked.name, await asked.call(), before)
}

/** Makes the call. It may be tried again only if it never reached the outside system. */
async function performInDoubt({ calls, results, name, call }: AskedCall): Promise<unknown> {
  let result: unknown
  try {
    result = await call()
  } catch (error) {
    // @protects a call that may have reached its system is not repeated
    if (!neverReached(error)) throw inDoubt(name, error)
    await calls.forget(name)
    throw error
  }
  return results.keep(name, result, STARTED)
}

async function replay(asked: AskedCall, stored: string): Promise<unknown> {
  const { name, mayRepeat, results, logger, here } = asked
  const kept = await results.read(name, stored)
  if (kept.kind === 'result') return kept.result
  if (mayRepeat) {
    // An outside system may charge for each call.
    logger.warn(`${here}: made again with its idempotency key: its result was not kept`)
    return perform(asked, stored)
  }
  const verified = await asked.verify?.()
  if (verified?.outcome === 'done') return results.keep(name, verified.result, stored)
  throw new UnknownOutcomeError(
    `call('${name}') was done, but its result could not be kept; the record is parked. Return only what the handler needs, ` +
      'or set the option offload.',
  )
}

function inDoubt(name: string, cause?: unknown): UnknownOutcomeError {
  const why = cause === undefined ? 'an attempt ended inside the call' : messageOf(cause)
  return new UnknownOutcomeError(
    `call('${name}'): whether the call was made is unknown (${why}); the record is parked as unknown and the call is not ` +
      `repeated. Check the outside system, then decide: lineclear decide ID lists what you may say.`,
    { cause },
  )
}

/**
 * @param call how errors name it, such as `ctx.call('charge')`
 * @returns what happens when it is unknown whether the call was made
 * @throws ConfigError when `made` is not a function or an option does not exist; nothing was called
 */
function checkCall<T>(
  call: string,
  made: OutsideCall<T>,
  options: CallOptions<T>,
): NonNullable<CallOptions<T>['ifUnknown']> {
  if (typeof made !== 'function') {
    const expected = 'a function that makes the call, such as ({ idempotencyKey }) => charge(…)'
    throw wrong(call, `expected ${expected}; got ${kindOf(made)}`)
  }
  if (typeof options !== 'object' || options === null) {
    const expected = "an object, such as { ifUnknown: 'stop' }"
    throw wrong(call, `options: expected ${expected}; got ${kindOf(options)}`)
  }
  const unknown = unknownName(options, ['ifUnknown'])
  if (unknown !== undefined) throw wrong(call, unknown)
  // Written, but undefined: a slip in the name of a constant, after which the call might be repeated.
  const { ifUnknown } = { ifUnknown: 'repeat' as const, ...options }
  if (ifUnknown === 'repeat' || ifUnknown === 'stop' || typeof ifUnknown === 'function') {
    return ifUnknown
  }
  const expected = "'repeat', 'stop' or a function that finds out"
  throw wrong(call, `ifUnknown: expected ${expected}; got ${shown(ifUnknown)}`)
}

/** The value of an option, for the error. An option is not a payload, so it may be shown. */
function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : kindOf(value)
}

function wrong(call: string, what: string): ConfigError {
  return new ConfigError(`${call}: ${what}. Nothing was called.`)
}
