import { ConfigError } from '../base/errors.ts'
import { type OutsideCalls, STARTED } from '../claim/hold.ts'
import { kindOf } from '../base/kindOf.ts'
import type { Logger } from '../base/logger.ts'
import { checkOnce, idempotencyKey, once } from './once.ts'
import type { OnceOptions, OutsideCall, RecordContext, Stored } from './context.ts'
import type { EffectScope, Serially } from './effectScope.ts'
import type { Failure } from './pending.ts'
import { openResults, type ResultsParts } from './results.ts'
import { uniqueNames } from './effectNames.ts'

interface OutsideCallParts {
  readonly scope: EffectScope
  readonly serially: Serially
  track<T>(work: () => Promise<T>, failure: Failure): Promise<T>
  assertOpen(): void
  readonly logger: Logger
  readonly results: Pick<ResultsParts, 'store' | 'clock' | 'keepFor'>
}

/** The calls run in parallel; their results are stored one after the other. */
export function outsideCalls(
  parts: OutsideCallParts,
): Pick<RecordContext, 'once' | 'idempotencyKey'> {
  const { track, assertOpen, logger } = parts
  const scope = withCalls(parts)
  const { uniqueRequestId, consumer, hold, trace } = scope
  const path = [uniqueRequestId, consumer, String(hold.attempt)]
  const results = openResults({ ...parts.results, calls: hold.calls, path, logger })
  const names = uniqueNames('once')
  return {
    idempotencyKey: (name, options) => shortKey(scope, name, options),
    once: <T>(name: string, call: OutsideCall<T>, given: OnceOptions<T> = {}) =>
      track(async () => {
        const here = names.check(name)
        const options = checkOnce(here, call, given)
        names.begin(name)
        const onRepeat = (): void =>
          logger.warn(`${here}: made again with its idempotency key: its result was not kept`)
        const open = whileOpen(call, assertOpen)
        const made: OutsideCall<T> =
          trace === undefined ? open : (key) => trace.call('once', name, async () => open(key))
        // The stored result has the type that `call` returned, because a name stands for one call.
        return once({ scope, results, name, call: made, options, onRepeat }) as Promise<Stored<T>>
      }, 'is judged by the handler'),
  }
}

function shortKey(
  scope: EffectScope,
  name: unknown,
  options: { readonly maxLength?: number } = {},
): string {
  const here = 'ctx.idempotencyKey'
  if (typeof name !== 'string' || name === '') {
    throw new ConfigError(`${here}: name: expected a text that is not empty; got ${kindOf(name)}`)
  }
  const { maxLength } = options
  if (maxLength !== undefined && !(Number.isInteger(maxLength) && maxLength >= SHORTEST_KEY)) {
    throw new ConfigError(
      `${here}('${name}'): maxLength: expected a whole number of at least ${SHORTEST_KEY}, so that no two keys are the same; ` +
        `got ${kindOf(maxLength)}`,
    )
  }
  return idempotencyKey(scope, name).slice(0, maxLength)
}

/** 96 bits: among a billion keys, the probability of two equal ones is 1 to 100 billion. */
const SHORTEST_KEY = 16

/** No call begins after the attempt has ended. The result of a call that was made is still stored, by a fenced write. */
function withCalls({ scope, serially, assertOpen }: OutsideCallParts): EffectScope {
  const { calls } = scope.hold
  const ordered: OutsideCalls = {
    ...calls,
    store: (name, value, before) =>
      serially(async () => {
        if (value === STARTED) assertOpen()
        return calls.store(name, value, before)
      }),
    forget: (name) => serially(() => calls.forget(name)),
  }
  return { ...scope, hold: { ...scope.hold, calls: ordered } }
}

function whileOpen<T>(call: OutsideCall<T>, assertOpen: () => void): OutsideCall<T> {
  return (key) => {
    assertOpen()
    return call(key)
  }
}
