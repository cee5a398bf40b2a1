import { messageOf, UnknownOutcomeError, ConfigError } from '../base/errors.ts'
import { STARTED } from '../claim/hold.ts'
import { stableId } from '../base/ids.ts'
import type { OnceOptions, OutsideCall } from './context.ts'
import type { EffectScope } from './effectScope.ts'
import { neverReached } from './neverReached.ts'
import type { Results } from './results.ts'
import { unknownName } from '../base/options.ts'
import { kindOf } from '../base/kindOf.ts'

/** An outside call, with what is needed to make it once. */
interface OnceCall {
  readonly scope: EffectScope
  readonly results: Results
  readonly name: string
  readonly call: OutsideCall<unknown>
  readonly options: Required<OnceOptions<unknown>>
  /** Called when a call that was already made is repeated, because an outside system may charge for each call. */
  onRepeat(): void
}

/** @returns the result as it is stored */
export async function once(asked: OnceCall): Promise<unknown> {
  const stored = await asked.scope.hold.calls.stored(asked.name)
  if (stored === undefined) return begin(asked)
  if (stored === STARTED) return resume(asked)
  return replay(asked, stored)
}

export function idempotencyKey(
  scope: Pick<EffectScope, 'uniqueRequestId' | 'consumer'>,
  name: string,
): string {
  return stableId(scope.uniqueRequestId, scope.consumer, 'call', name)
}

async function begin(asked: OnceCall): Promise<unknown> {
  const { scope, name, options } = asked
  scope.hold.calls.assertRoom(name)
  const traced = scope.hold.calls.traces?.(name) === true
  if (options.effect === 'idempotent' && !traced) return perform(asked, undefined)
  const refusedBy = await scope.hold.calls.store(name, STARTED, undefined)
  if (refusedBy !== undefined) return once(asked)
  return options.effect === 'once' ? performInDoubt(asked) : perform(asked, STARTED)
}

/** The call was started but has no result: an attempt died during the call, or the result could not be stored. */
async function resume(asked: OnceCall): Promise<unknown> {
  const { name, options } = asked
  if (options.effect === 'idempotent') return perform(asked, STARTED)
  if (options.effect === 'once') throw inDoubt(name)
  const verified = await options.verify(keyOf(asked))
  switch (verified.outcome) {
    case 'done':
      return asked.results.keep(name, verified.result, STARTED)
    case 'not done':
      return perform(asked, STARTED)
    case 'unknown':
      throw inDoubt(name)
  }
}

function keyOf({ scope, name }: OnceCall): { readonly idempotencyKey: string } {
  return { idempotencyKey: idempotencyKey(scope, name) }
}

async function perform(asked: OnceCall, before: string | undefined): Promise<unknown> {
  const result = await asked.call(keyOf(asked))
  return asked.results.keep(asked.name, result, before)
}

/** Makes the call. It may be tried again only if it never reached the outside system. */
async function performInDoubt(asked: OnceCall): Promise<unknown> {
  const { scope, name } = asked
  let result: unknown
  try {
    result = await asked.call(keyOf(asked))
  } catch (error) {
    if (!neverReached(error)) throw inDoubt(name, error)
    await scope.hold.calls.forget(name)
    throw error
  }
  return asked.results.keep(name, result, STARTED)
}

async function replay(asked: OnceCall, stored: string): Promise<unknown> {
  const { name, options, results } = asked
  const kept = await results.read(name, stored)
  if (kept.kind === 'result') return kept.result
  if (options.effect === 'idempotent') {
    asked.onRepeat()
    return results.keep(name, await asked.call(keyOf(asked)), stored)
  }
  const verified = options.effect === 'verify' ? await options.verify(keyOf(asked)) : undefined
  if (verified?.outcome === 'done') return results.keep(name, verified.result, stored)
  throw new UnknownOutcomeError(
    `once('${name}') was done, but its result could not be kept; the record is parked. Return only what the handler needs, ` +
      'or set the option results.',
  )
}

function inDoubt(name: string, cause?: unknown): UnknownOutcomeError {
  const why = cause === undefined ? 'an attempt ended inside the call' : messageOf(cause)
  return new UnknownOutcomeError(
    `once('${name}'): whether the call was made is unknown (${why}); the record is parked as unknown and the call is not ` +
      `repeated. Check the outside system, then decide: lineclear decide ID lists what you may say.`,
    { cause },
  )
}

const EFFECTS: readonly unknown[] = ['idempotent', 'once', 'verify']

/**
 * @param call how errors name it, such as `ctx.once('charge')`
 * @returns the options, with their default
 * @throws ConfigError when `made` is not a function or an option does not exist; nothing was called
 */
export function checkOnce<T>(
  call: string,
  made: OutsideCall<T>,
  options: OnceOptions<T>,
): Required<OnceOptions<T>> {
  if (typeof made !== 'function') {
    const expected = 'a function that makes the call, such as ({ idempotencyKey }) => charge(…)'
    throw wrong(call, `expected ${expected}; got ${kindOf(made)}`)
  }
  if (typeof options !== 'object' || options === null) {
    throw wrong(
      call,
      `options: expected an object, such as { effect: 'once' }; got ${kindOf(options)}`,
    )
  }
  const unknown = unknownName(options, ['effect', 'verify'])
  if (unknown !== undefined) throw wrong(call, unknown)
  // Written, but undefined: a slip in the name of a constant, after which the call might be repeated.
  const settled = { effect: 'idempotent' as const, ...options }
  const { effect, verify }: { readonly effect: string; readonly verify?: unknown } = settled
  if (!EFFECTS.includes(effect)) {
    throw wrong(call, `effect: expected 'idempotent', 'once' or 'verify'; got ${shown(effect)}`)
  }
  if (effect === 'verify' && typeof verify !== 'function') {
    throw wrong(call, `verify: expected a function beside effect 'verify'; got ${kindOf(verify)}`)
  }
  if (effect !== 'verify' && verify !== undefined) {
    throw wrong(call, "verify: only effect 'verify' asks it")
  }
  return settled
}

/** The value of an option, for the error. An option is not a payload, so it may be shown. */
function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : kindOf(value)
}

function wrong(call: string, what: string): ConfigError {
  return new ConfigError(`${call}: ${what}. Nothing was called.`)
}
