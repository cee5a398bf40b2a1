import type { Clock } from '../../base/clock.ts'
import { ConfigError, messageOf, UnknownOutcomeError } from '../../base/errors.ts'
import type { OutsideCalls } from '../../protocol/claim/hold.ts'
import { stableId } from '../../base/ids.ts'
import type { Logger } from '../../base/logger.ts'
import { type ResultStore, withTimeLimit } from './results/resultStore.ts'
import { resultText } from './resultText.ts'
import { decodeValue } from './results/storedValue.ts'

const DONE = 'done:'
/** Prefix of a stored text; the key in the result store follows it. */
const DONE_APART = 'done apart:'
/** The call was made, but its result could not be stored. */
const DONE_UNSTORED = 'done, not stored'

/** Where results are kept that do not fit into the item of the claim. */
export interface ResultPlace {
  readonly store: ResultStore | undefined
  readonly clock: Clock
  /** How long a result may be read, milliseconds. */
  readonly keepFor: number
}

interface ResultsParts extends ResultPlace {
  readonly calls: OutsideCalls
  /** Unique to this attempt of this request: no other attempt stores results under it. */
  readonly path: readonly string[]
  readonly logger: Logger
}

type ReadResult =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'not kept' }

/** Results of outside calls: small ones in the item of the claim, large ones in the result store. */
export interface Results {
  /**
   * Stores the result of a call.
   * @returns the result as every later attempt receives it
   * @throws ConfigError when it contains no data; the call is then stored as made, without a result
   */
  keep(name: string, result: unknown, before: string | undefined): Promise<unknown>
  /** Reads what was stored. `stored` is never STARTED here. */
  read(name: string, stored: string): Promise<ReadResult>
}

/** Time limit in milliseconds: a result store that hangs must not use up the time of the record. */
const WITHIN_MS = 10_000

export function openResults({ calls, path, store, clock, keepFor, logger }: ResultsParts): Results {
  const writeText = async (name: string, text: string): Promise<string> => {
    const bytes = Buffer.byteLength(text)
    const room = calls.takeBytes(name, bytes + DONE.length)
    if (bytes + DONE.length <= room) return DONE + text
    if (store === undefined) {
      logger.error(
        `ctx.call('${name}'): done, and its result is not kept: it has ${bytes} bytes, and ${Math.max(room, 0)} are left. ` +
          'If this record is tried again, the call is made or asked for again. Return only what the handler needs, or set ' +
          'the option offload, such as s3Objects({ bucket }).',
      )
      return DONE_UNSTORED
    }
    const key = stableId(...path, 'result', name)
    try {
      const kept = store.put(key, text, clock.now() + keepFor)
      await withTimeLimit(clock, WITHIN_MS, 'the result store', kept)
      return DONE_APART + key
    } catch (error) {
      logger.error(`ctx.call('${name}'): done, but its result could not be stored`, {
        error: messageOf(error),
      })
      return DONE_UNSTORED
    }
  }

  const read = (name: string, stored: string): Promise<ReadResult> =>
    readResult({ store, clock }, name, stored)

  return {
    async keep(name, result, before) {
      const made = resultText(result)
      const mine = made.kind === 'text' ? await writeText(name, made.text) : DONE_UNSTORED
      const theirs = mine === before ? undefined : await calls.store(name, mine, before)
      if (theirs !== undefined && theirs !== DONE_UNSTORED && theirs.startsWith('done')) {
        const kept = await read(name, theirs)
        if (kept.kind === 'result') return kept.result
      }
      if (made.kind === 'no data') throw noData(name, made.why)
      return decodeValue(made.text)
    },
    read,
  }
}

/** Reads the stored text of a call, which is never STARTED here. */
export async function readResult(
  { store, clock }: Pick<ResultPlace, 'store' | 'clock'>,
  name: string,
  stored: string,
): Promise<ReadResult> {
  if (stored === DONE_UNSTORED) return { kind: 'not kept' }
  if (stored.startsWith(DONE)) return decoded(name, stored.slice(DONE.length))
  if (!stored.startsWith(DONE_APART)) throw unreadable(name)
  if (store === undefined) throw noStore(name)
  const asked = store.get(stored.slice(DONE_APART.length))
  const text = await withTimeLimit(clock, WITHIN_MS, 'the result store', asked)
  return text === undefined ? { kind: 'not kept' } : decoded(name, text)
}

/** The parser's own error would quote the result. */
function decoded(name: string, text: string): ReadResult {
  try {
    return { kind: 'result', result: decodeValue(text) }
  } catch {
    throw unreadable(name)
  }
}

function noData(name: string, why: string): ConfigError {
  return new ConfigError(
    `ctx.call('${name}'): the call was made, but its result cannot be stored for later attempts: ${why}. Return data only, ` +
      'such as `await response.json()`.',
  )
}

function noStore(name: string): ConfigError {
  return new ConfigError(
    `ctx.call('${name}'): its result is in a result store, and the option offload names none; the call is not repeated.`,
  )
}

function unreadable(name: string): UnknownOutcomeError {
  return new UnknownOutcomeError(
    `call('${name}') has an answer that this version cannot read; the record is parked as unknown and the call is not ` +
      `repeated. Was it stored by a newer version, or by hand?`,
  )
}
