import { ConfigError } from '../base/errors.ts'
import { unknownName } from '../base/options.ts'
import { kindOf } from '../base/kindOf.ts'
import type { OnceOptions, OutsideCall } from './context.ts'

const EFFECTS: readonly unknown[] = ['idempotent', 'once', 'verify']

/**
 * @param call how errors name it, such as `ctx.once('charge')`
 * @throws ConfigError when `made` is not a function or an option does not exist; nothing was called
 */
export function checkOnce<T>(call: string, made: OutsideCall<T>, options: OnceOptions<T>): void {
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
  const { effect } = options
  if (!EFFECTS.includes(effect)) {
    throw wrong(call, `effect: expected 'idempotent', 'once' or 'verify'; got ${shown(effect)}`)
  }
  const verify: unknown = 'verify' in options ? options.verify : undefined
  if (effect === 'verify' && typeof verify !== 'function') {
    throw wrong(call, `verify: expected a function beside effect 'verify'; got ${kindOf(verify)}`)
  }
  if (effect !== 'verify' && verify !== undefined) {
    throw wrong(call, "verify: only effect 'verify' asks it")
  }
}

/** The value of an option, for the error. An option is not a payload, so it may be shown. */
function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : kindOf(value)
}

function wrong(call: string, what: string): ConfigError {
  return new ConfigError(`${call}: ${what}. Nothing was called.`)
}
