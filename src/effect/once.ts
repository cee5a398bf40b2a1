import { messageOf, UnknownOutcomeError } from '../errors.ts'
import { STARTED } from '../hold/hold.ts'
import { stableId } from '../ids.ts'
import type { OnceOptions, OutsideCall } from './context.ts'
import type { Held } from './held.ts'
import { neverReached } from './neverReached.ts'
import { decodeValue, encodeValue } from './storedValue.ts'

const DONE = 'done:'
/** The answer could not be kept; the call is known to be done. */
const DONE_UNSTORED = 'done, not stored'

export async function once<T>(
  held: Held,
  name: string,
  call: OutsideCall<T>,
  options: OnceOptions<T> = { effect: 'idempotent' },
): Promise<T> {
  const stored = await held.hold.calls.stored(name)
  if (stored === undefined) return begin(held, name, call, options)
  if (stored === STARTED) return resume(held, name, call, options)
  return replay(held, name, stored, call, options)
}

export function idempotencyKey(held: Held, name: string): string {
  return stableId(held.uniqueRequestId, held.consumer, 'call', name)
}

async function begin<T>(
  held: Held,
  name: string,
  call: OutsideCall<T>,
  options: OnceOptions<T>,
): Promise<T> {
  if (options.effect === 'idempotent') return perform(held, name, call, undefined)
  const refusedBy = await held.hold.calls.store(name, STARTED, undefined)
  if (refusedBy !== undefined) return once(held, name, call, options)
  return options.effect === 'once'
    ? performInDoubt(held, name, call)
    : perform(held, name, call, STARTED)
}

/** A START without an answer: an attempt died in the call, or its answer could not be stored. */
async function resume<T>(
  held: Held,
  name: string,
  call: OutsideCall<T>,
  options: OnceOptions<T>,
): Promise<T> {
  if (options.effect === 'idempotent') return perform(held, name, call, STARTED)
  if (options.effect === 'once') throw inDoubt(name)
  return verify(held, name, call, options)
}

async function verify<T>(
  held: Held,
  name: string,
  call: OutsideCall<T>,
  options: Extract<OnceOptions<T>, { effect: 'verify' }>,
): Promise<T> {
  const verified = await options.verify({ idempotencyKey: idempotencyKey(held, name) })
  switch (verified.outcome) {
    case 'done':
      return keep(held, name, verified.result, STARTED)
    case 'not done':
      return perform(held, name, call, STARTED)
    case 'unknown':
      throw inDoubt(name)
  }
}

async function perform<T>(
  held: Held,
  name: string,
  call: OutsideCall<T>,
  before: string | undefined,
): Promise<T> {
  const result = await call({ idempotencyKey: idempotencyKey(held, name) })
  return keep(held, name, result, before)
}

/** Only what surely did not reach the other side may be tried again. */
async function performInDoubt<T>(held: Held, name: string, call: OutsideCall<T>): Promise<T> {
  let result: T
  try {
    result = await call({ idempotencyKey: idempotencyKey(held, name) })
  } catch (error) {
    if (!neverReached(error)) throw inDoubt(name, error)
    await held.hold.calls.forget(name)
    throw error
  }
  return keep(held, name, result, STARTED)
}

async function keep<T>(
  held: Held,
  name: string,
  result: T,
  before: string | undefined,
): Promise<T> {
  const theirs = await held.hold.calls.store(name, toStore(held, result), before)
  return theirs?.startsWith(DONE) === true ? answerOf(name, theirs) : result
}

/** A circle has no text, and an answer may be too long: that must not make a call that is done a failed one. */
function toStore(held: Held, result: unknown): string {
  try {
    const encoded = DONE + encodeValue(result)
    return Buffer.byteLength(encoded) <= held.hold.calls.room() ? encoded : DONE_UNSTORED
  } catch {
    return DONE_UNSTORED
  }
}

async function replay<T>(
  held: Held,
  name: string,
  stored: string,
  call: OutsideCall<T>,
  options: OnceOptions<T>,
): Promise<T> {
  if (stored !== DONE_UNSTORED) return answerOf(name, stored)
  const key = { idempotencyKey: idempotencyKey(held, name) }
  if (options.effect === 'idempotent') return call(key)
  const verified = options.effect === 'verify' ? await options.verify(key) : undefined
  if (verified?.outcome === 'done') return verified.result
  throw new UnknownOutcomeError(
    `once('${name}') was done, but its answer could not be kept (a circle, or too long); the record is ` +
      `parked. Return only what the handler needs.`,
  )
}

/** What was encoded is of the type that `call` gave: the name stands for one call. A parser's error would quote it. */
function answerOf<T>(name: string, stored: string): T {
  try {
    if (stored.startsWith(DONE)) return decodeValue(stored.slice(DONE.length)) as T
  } catch {
    // Told below.
  }
  throw new UnknownOutcomeError(
    `once('${name}') has an answer that this version cannot read; the record is parked as unknown and the call is not ` +
      `repeated. Was it stored by a newer version, or by hand?`,
  )
}

function inDoubt(name: string, cause?: unknown): UnknownOutcomeError {
  const why = cause === undefined ? 'an attempt ended inside the call' : messageOf(cause)
  return new UnknownOutcomeError(
    `once('${name}'): nobody knows whether the call was made (${why}); the record is parked as unknown and the call is not ` +
      `repeated. Look at the other side, then resolve the token.`,
    { cause },
  )
}
