import { outcomeOrThrow, type Item, type Store } from '../../store/store.ts'
import type { Clock } from '../../base/clock.ts'
import { messageOf } from '../../base/errors.ts'
import { encodeValue } from './storedValue.ts'
import type { Logger } from '../../base/logger.ts'
import type { Token } from '../../claim/token/token.ts'
import { itemSize } from './itemSize.ts'
import { toPlainData } from './toPlainData.ts'
import type { ResultStore } from './resultStore.ts'
import { withTimeLimit } from './timeLimit.ts'

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
export const PUT_WITHIN_MS = 10_000

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
export function resultKey({ pk, attemptId }: Pick<Token, 'pk' | 'attemptId'>): {
  pk: string
  sk: string
} {
  return { pk, sk: `result#${attemptId}` }
}

export function externalKey({ pk, attemptId }: Pick<Token, 'pk' | 'attemptId'>): string {
  return `${pk}/${attemptId}`
}
