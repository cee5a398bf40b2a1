import { messageOf } from '../errors.ts'
import { encodeValue } from '../effect/storedValue.ts'
import type { Logger } from '../logger.ts'
import type { Token } from '../lock/token.ts'
import type { Item, Store } from '../store/store.ts'
import { itemSize } from './itemSize.ts'
import { toPlain } from './plain.ts'
import type { ResultStore } from './resultStore.ts'

/** Every duplicate's refused write is billed by the size of the token, so that one write unit is all it may fill. */
const WRITE_UNIT_BYTES = 1_024
/** An item holds 400 KB (Amazon DynamoDB quotas), key and names included. */
const MAX_ITEM_BYTES = 350_000
/** A reader whose clock is behind must find the result as long as it finds the token. Seconds. */
const AFTER_TOKEN_S = 3_600

export interface Keeper {
  readonly store: Store
  readonly results: ResultStore | undefined
  readonly logger: Logger
}

/** Attributes of the completed token that lead to its result. */
export type Kept =
  | { readonly result: string }
  | { readonly resultIn: 'item' | 'store' }
  | { readonly resultIn: 'none'; readonly notKept: string }

/**
 * Brings a result where a replay finds it, before the token is completed. The work is done whatever happens here, so
 * nothing is thrown: a result that cannot be kept leaves a completed token that says why.
 * @param ttl epoch seconds of the token's end; undefined: none.
 */
export async function keepResult(
  result: unknown,
  token: Token,
  item: Item,
  ttl: number | undefined,
  keeper: Keeper,
): Promise<Kept> {
  try {
    const text = encode(result, keeper.logger)
    if (
      itemSize({ ...item, result: text, ttl: 0, actualCompletion: item['created'] ?? '' }) <=
      WRITE_UNIT_BYTES
    ) {
      return { result: text }
    }
    return await keepApart(text, token, ttl, keeper)
  } catch (error) {
    return notKept(messageOf(error), keeper.logger)
  }
}

function encode(result: unknown, logger: Logger): string {
  const { value, turned } = toPlain(result)
  if (turned.length > 0) {
    logger.warn('the result holds class instances: replays give plain objects in their place', {
      at: turned.slice(0, 5),
    })
  }
  return encodeValue(value)
}

async function keepApart(
  text: string,
  token: Token,
  ttl: number | undefined,
  { store, results, logger }: Keeper,
): Promise<Kept> {
  const bytes = Buffer.byteLength(text)
  if (bytes <= MAX_ITEM_BYTES) {
    const until = ttl === undefined ? {} : { ttl: ttl + AFTER_TOKEN_S }
    const [outcome] = await store.create([{ ...resultKey(token), result: text, ...until }])
    if (outcome?.kind === 'failed') throw outcome.error
    return { resultIn: 'item' }
  }
  if (results === undefined) {
    return notKept(
      `it has ${bytes} bytes, and there is no result store for more than ${MAX_ITEM_BYTES}`,
      logger,
    )
  }
  await results.put(
    externalKey(token),
    text,
    ttl === undefined ? undefined : (ttl + AFTER_TOKEN_S) * 1_000,
  )
  return { resultIn: 'store' }
}

function notKept(why: string, logger: Logger): Kept {
  logger.error(
    'done, but the result could not be kept: duplicates are not run, and get no result',
    { why },
  )
  return { resultIn: 'none', notKept: why.slice(0, 200) }
}

/** By attempt: the result of one that lost its claim is never taken for another's, also after a token began anew. */
export function resultKey({ pk, attemptId }: Pick<Token, 'pk' | 'attemptId'>): {
  pk: string
  sk: string
} {
  return { pk, sk: `result#${attemptId}` }
}

export function externalKey({ pk, attemptId }: Pick<Token, 'pk' | 'attemptId'>): string {
  return `${pk}/${attemptId}`
}
