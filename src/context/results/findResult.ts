import { outcomeOrThrow, type Item } from '../../store/store.ts'
import type { Clock } from '../../base/clock.ts'
import { decodeValue } from './storedValue.ts'
import { externalKey, type ResultSinks, PUT_WITHIN_MS, resultKey } from './storeResult.ts'
import { withTimeLimit } from './timeLimit.ts'

type FoundResult =
  | { readonly kind: 'found'; readonly result: unknown }
  | { readonly kind: 'not kept'; readonly why: string }
  /** The work has just ended, and its result is being stored. `until`: epoch milliseconds. */
  | { readonly kind: 'on its way'; readonly until: number }

/** How long a result may be missing after its token is complete. It includes a reserve for clock differences. */
const ARRIVES_WITHIN_MS = PUT_WITHIN_MS + 5_000
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
    const outcome = outcomeOrThrow(await store.read([resultKey(of)], { consistent: true }))
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
  return ended + ARRIVES_WITHIN_MS
}

function whyNot({ notKept, resultIn }: Item): string {
  if (typeof notKept === 'string') return notKept
  return resultIn === undefined ? 'it was completed without a result' : 'it is no longer there'
}
