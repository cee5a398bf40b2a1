import { outcomeOrThrow, type Item, type Store, type Value } from '../../../protocol/store/store.ts'
import type { Clock } from '../../../base/clock.ts'
import { messageOf } from '../../../base/errors.ts'
import { encodeValue, toPlainData, decodeValue } from './storedValue.ts'
import type { Logger } from '../../../base/logger.ts'
import type { Token } from '../../../protocol/claim/token/token.ts'
import { type ResultStore, withTimeLimit } from './resultStore.ts'

/** The refused write of every duplicate is billed by the size of the token, so the token must stay within this write unit. */
const WRITE_UNIT_BYTES = 1_024
/** An item holds 400 KB (Amazon DynamoDB quotas), key and names included. */
const MAX_ITEM_BYTES = 350_000
/**
 * Seconds by which a result outlives its token: a reader whose clock is behind must find the result as long as it finds the
 * token.
 */
const AFTER_TOKEN_S = 3_600

export interface ResultSinks {
  readonly store: Store
  readonly results: ResultStore | undefined
  readonly logger: Logger
}

/** Attributes of the completed token that say where its result is. */
type ResultPlace =
  | { readonly result: string }
  | { readonly resultIn: 'item' | 'store' }
  | { readonly resultIn: 'none'; readonly notKept: string }

/** What the completed token says, and what has to be done after it is complete. */
interface ResultPlan {
  readonly place: ResultPlace
  /** Stores the result where the token says that it is. Rejects when that fails or takes too long. */
  readonly store?: () => Promise<void>
}

/** Time limit in milliseconds: a result store that hangs must not delay the caller, whose work is done. */
const PUT_WITHIN_MS = 10_000

/**
 * Where a replay finds the result. The work is done whatever happens here, so nothing is thrown: if a result cannot be kept, the
 * completed token says why. The token is completed first, and a large result is stored after that: a crash in between loses the
 * result, but never the knowledge that the work is done.
 * @param ttl epoch seconds of the token's end; undefined: none.
 */
export function planResult(
  result: unknown,
  token: Token,
  item: Item,
  ttl: number | undefined,
  keeper: ResultSinks & { readonly clock: Clock },
): ResultPlan {
  try {
    const text = encode(result, keeper.logger)
    if (
      itemSize({ ...item, result: text, ttl: 0, actualCompletion: item['created'] ?? '' }) <=
      // @protects a token stays within one write unit
      // @without 400_000 @tests test/call/results
      WRITE_UNIT_BYTES
    ) {
      return { place: { result: text } }
    }
    return planSeparateItem(text, token, ttl, keeper)
  } catch (error) {
    return { place: notKept(messageOf(error), keeper.logger) }
  }
}

function encode(result: unknown, logger: Logger): string {
  const { value, converted } = toPlainData(result)
  if (converted.length > 0) {
    logger.warn('the result holds class instances: replays give plain objects in their place', {
      at: converted.slice(0, 5),
    })
  }
  return encodeValue(value)
}

function planSeparateItem(
  text: string,
  token: Token,
  ttl: number | undefined,
  { store, results, logger, clock }: ResultSinks & { readonly clock: Clock },
): ResultPlan {
  const bytes = Buffer.byteLength(text)
  const inTime = (put: Promise<void>): Promise<void> =>
    withTimeLimit(clock, PUT_WITHIN_MS, 'where results are put', put)
  if (bytes <= MAX_ITEM_BYTES) {
    const until = ttl === undefined ? {} : { ttl: ttl + AFTER_TOKEN_S }
    const create = async (): Promise<void> => {
      outcomeOrThrow(await store.create([{ ...resultKey(token), result: text, ...until }]))
    }
    return { place: { resultIn: 'item' }, store: () => inTime(create()) }
  }
  if (results === undefined) {
    return {
      place: notKept(
        `it has ${bytes} bytes, and there is no result store for more than ${MAX_ITEM_BYTES}`,
        logger,
      ),
    }
  }
  const expiresAt = ttl === undefined ? undefined : (ttl + AFTER_TOKEN_S) * 1_000
  const put = async (): Promise<void> => results.put(externalKey(token), text, expiresAt)
  return { place: { resultIn: 'store' }, store: () => inTime(put()) }
}

function notKept(why: string, logger: Logger): ResultPlace {
  logger.error(
    'done, but the result could not be kept: duplicates are not run, and get no result',
    { why },
  )
  return { resultIn: 'none', notKept: shortened(why) }
}

/** The reason is stored on the token, whose size determines what the refused write of every duplicate costs. */
export function shortened(why: string): string {
  return why.slice(0, 200)
}

/**
 * Each attempt has a key of its own: the result of an attempt that lost its claim is never taken for another's, even after the
 * token started again.
 */
function resultKey({ pk, attemptId }: Pick<Token, 'pk' | 'attemptId'>): {
  pk: string
  sk: string
} {
  return { pk, sk: `result#${attemptId}` }
}

function externalKey({ pk, attemptId }: Pick<Token, 'pk' | 'attemptId'>): string {
  return `${pk}/${attemptId}`
}

type FoundResult =
  | { readonly kind: 'found'; readonly result: unknown }
  | { readonly kind: 'not kept'; readonly why: string }
  /** The work has just ended, and its result is being stored. `until`: epoch milliseconds. */
  | { readonly kind: 'on its way'; readonly until: number }

/** How long a result may be missing after its token is complete. It includes a reserve for clock differences. */
export const RESULT_ARRIVES_WITHIN_MS: number = PUT_WITHIN_MS + 5_000
const GET_WITHIN_MS = 5_000

/**
 * Finds the result of a completed token.
 * @throws StoreUnavailableError, or what the result store throws, when it is there but cannot be read now.
 */
export async function findResult(
  item: Item,
  keeper: ResultSinks & { readonly clock: Clock },
): Promise<FoundResult> {
  const text = await findText(item, keeper)
  if (text === undefined) {
    const until = canBeRead(item, keeper) ? arrivalOf(item) : 0
    // @protects a result that is being stored is waited for
    // @without its else @tests test/call/running
    return until > keeper.clock.now()
      ? { kind: 'on its way', until }
      : { kind: 'not kept', why: whyNot(item) }
  }
  try {
    return { kind: 'found', result: decodeValue(text) }
  } catch {
    return { kind: 'not kept', why: 'what was stored cannot be read' }
  }
}

async function findText(
  item: Item,
  { store, results, logger, clock }: ResultSinks & { readonly clock: Clock },
): Promise<string | undefined> {
  const { result, resultIn, pk, attemptId } = item
  if (typeof result === 'string') return result
  if (typeof pk !== 'string' || typeof attemptId !== 'string') return undefined
  const of = { pk, attemptId }
  if (resultIn === 'item') {
    const outcome = outcomeOrThrow(
      await store.read([resultKey(of)], {
        // @protects a result beside its token is read consistently
        // @without false @tests test/call/results
        consistent: true,
      }),
    )
    const text = outcome.item?.['result']
    return typeof text === 'string' ? text : undefined
  }
  if (resultIn !== 'store') return undefined
  if (results === undefined) {
    logger.error('the result is in a result store, and the options name none', { pk: of.pk })
    return undefined
  }
  return withTimeLimit(clock, GET_WITHIN_MS, 'the result store', results.get(externalKey(of)))
}

function canBeRead({ resultIn }: Item, { results }: ResultSinks): boolean {
  return resultIn === 'item' || results !== undefined
}

/** Until when the result may still arrive, epoch milliseconds. 0: it will not. */
function arrivalOf({ resultIn, actualCompletion }: Item): number {
  if (resultIn !== 'item' && resultIn !== 'store') return 0
  const ended = typeof actualCompletion === 'string' ? Date.parse(actualCompletion) : 0
  return ended + RESULT_ARRIVES_WITHIN_MS
}

function whyNot({ notKept, resultIn }: Item): string {
  if (typeof notKept === 'string') return notKept
  return resultIn === undefined ? 'it was completed without a result' : 'it is no longer there'
}

/** Bytes, as DynamoDB counts an item (developer guide, "DynamoDB item sizes and formats"): names and values in UTF-8. */
function itemSize(item: Item): number {
  return Object.entries(item).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + valueSize(value),
    0,
  )
}

/** A number takes at most 21 bytes, however many digits it has. */
const NUMBER_BYTES = 21

function valueSize(value: Value): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (typeof value === 'number') return NUMBER_BYTES
  if (typeof value === 'boolean') return 1
  return 3 + [...value].reduce((sum, member) => sum + 1 + Buffer.byteLength(member), 0)
}
