import { decodeValue } from '../effect/storedValue.ts'
import { StoreUnavailableError } from '../errors.ts'
import type { Item } from '../store/store.ts'
import { externalKey, type Keeper, resultKey } from './keepResult.ts'

export type FoundResult =
  | { readonly kind: 'found'; readonly result: unknown }
  | { readonly kind: 'not kept'; readonly why: string }

/**
 * The result that a completed token leads to.
 * @throws StoreUnavailableError, or what the result store throws, when it is there but cannot be read now.
 */
export async function findResult(item: Item, keeper: Keeper): Promise<FoundResult> {
  const text = await findText(item, keeper)
  if (text === undefined) return { kind: 'not kept', why: whyNot(item) }
  try {
    return { kind: 'found', result: decodeValue(text) }
  } catch {
    return { kind: 'not kept', why: 'what was stored cannot be read' }
  }
}

async function findText(
  item: Item,
  { store, results, logger }: Keeper,
): Promise<string | undefined> {
  const { result, resultIn, pk, attemptId } = item
  if (typeof result === 'string') return result
  if (typeof pk !== 'string' || typeof attemptId !== 'string') return undefined
  const of = { pk, attemptId }
  if (resultIn === 'item') {
    const [outcome] = await store.read([resultKey(of)], { consistent: true })
    if (outcome === undefined || outcome.kind === 'failed') {
      throw outcome?.error ?? new StoreUnavailableError('the store gave no outcome')
    }
    const text = outcome.item?.['result']
    return typeof text === 'string' ? text : undefined
  }
  if (resultIn === 'store' && results === undefined) {
    logger.error('the result is in a result store, and the options name none', { pk: of.pk })
  }
  return resultIn === 'store' ? results?.get(externalKey(of)) : undefined
}

function whyNot({ notKept, resultIn }: Item): string {
  if (typeof notKept === 'string') return notKept
  return resultIn === undefined ? 'it was completed without a result' : 'it is no longer there'
}
