import { messageOf, TerminalError } from '../../base/errors.ts'
import type { Item } from '../../protocol/store/store.ts'
import type { IdempotencyConfig } from './config.ts'
import type { HttpEvent } from './http/httpEvent.ts'
import { withReplayHeader } from './http/httpAnswer.ts'
import { readLockStatus } from './lockTokens.ts'
import type { CallRefusal } from './refusal.ts'
import { decodeValue, encodeValue, toPlainData } from '../../run/context/results/storedValue.ts'

type ReplayResult<Output> =
  | { readonly kind: 'answer'; readonly output: Output }
  /** The first run's answer was an error. */
  | { readonly kind: 'throw'; readonly error: Error }
  | { readonly kind: 'refused'; readonly refusal: CallRefusal }
  /** The run has just ended, and its large result is still being stored. `until`: epoch milliseconds. */
  | { readonly kind: 'not yet stored'; readonly until: number }

/** The first run's answer, decoded separately for each caller, so that no caller can change what another one receives. */
export async function replay<Args extends readonly unknown[], Output>(
  config: IdempotencyConfig<Args, Output>,
  http: HttpEvent | undefined,
  item: Item,
): Promise<ReplayResult<Output>> {
  const { onReplay } = config.options
  const existing = await readLockStatus<unknown>(item, config)
  const { status, error, notKept, created: from } = existing
  if (status === 'error' || status === 'unknown') {
    return { kind: 'refused', refusal: { kind: 'parked', as: status, error: error ?? '' } }
  }
  if (status === 'inProgress') {
    return { kind: 'not yet stored', until: config.clock.now() + RESULT_WAIT_MS }
  }
  if (notKept !== undefined) {
    const doneAt = existing.actualCompletion ?? from
    return { kind: 'refused', refusal: { kind: 'not kept', why: notKept, doneAt } }
  }
  config.logger.info('answered from the first run', { lockToken: item['pk'], from })
  if (error !== undefined) return { kind: 'throw', error: decodeError(error) }
  const { result } = existing
  // The stored result has the function's own type, because name and key belong to this function alone.
  const output = (http === undefined ? result : withReplayHeader(result, from)) as Output
  if (onReplay === undefined) return { kind: 'answer', output }
  try {
    return { kind: 'answer', output: await onReplay(output, { from }) }
  } catch (cause) {
    return { kind: 'refused', refusal: { kind: 'replay failed', because: messageOf(cause) } }
  }
}

const RESULT_WAIT_MS = 1_000

/** An error as text, with its own fields, such as `statusCode` and `expose` of http-errors, but without its stack. */
export function encodeError(error: unknown): string {
  if (!(error instanceof Error)) return encodeFields('Error', messageOf(error), {})
  const { name, message } = error
  try {
    const text = encodeFields(
      name,
      message,
      toPlainData(Object.fromEntries(Object.entries(error))).value,
    )
    if (text.length <= MAX_TEXT) return text
  } catch {
    // The fields cannot be stored, so the error is stored without them.
  }
  return encodeFields(name, message.slice(0, MAX_TEXT / 10), {})
}

/** Characters. */
const MAX_TEXT = 50_000

function encodeFields(name: string, message: string, fields: unknown): string {
  return encodeValue({ name, message, fields })
}

/** The stored error, with the same name, message and fields, as a TerminalError. A field `__proto__` stays a plain field. */
export function decodeError(text: string): Error {
  const stored = parse(text)
  if (stored === undefined) return new TerminalError(text)
  const { name, message, fields } = stored
  return Object.defineProperties(new TerminalError(message), {
    ...Object.getOwnPropertyDescriptors(fields),
    name: { value: name, configurable: true, writable: true },
  })
}

function parse(text: string): { name: string; message: string; fields: object } | undefined {
  try {
    const value = decodeValue(text)
    if (typeof value !== 'object' || value === null) return undefined
    if (!('name' in value) || !('message' in value) || !('fields' in value)) return undefined
    const { name, message, fields } = value
    if (typeof name !== 'string' || typeof message !== 'string') return undefined
    return typeof fields === 'object' && fields !== null ? { name, message, fields } : undefined
  } catch {
    return undefined
  }
}
