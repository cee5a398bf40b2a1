import { readToken, type Token } from '../../../claim/token/token.ts'
import type { Item } from '../../../store/store.ts'
import { itemKey, splitId } from '../../../sweeper/address.ts'
import { unreadableItemError } from '../../../sweeper/due/listDue.ts'
import { type KnownRequest, type RequestState, storedTime } from './knownRequest.ts'

/** Begins the partition keys of all requests of one consumer. */
export function tokenPrefix(consumer: string): string {
  return `lock#${consumer}/`
}

/**
 * The request of a token: none or one, because other items may stand beside a token.
 * @throws StoreUnavailableError for a token of a newer version: counting it as missing would make its rows look foreign
 */
export function tokenRequests(item: Item): readonly KnownRequest[] {
  return item['sk'] === 'token' ? [tokenRequest(item)] : []
}

function tokenRequest(item: Item): KnownRequest {
  const token = readToken(item)
  if (token === undefined) throw unreadableItemError(`The token ${itemKey(item).pk}`)
  const id = splitId(token.pk).rest
  const state = stateOf(token)
  return {
    joinKey: id,
    id,
    pk: token.pk,
    state,
    marks: [...token.applied],
    began: storedTime(item['created']),
    retried: token.fence > 1,
    settledBy: storedTime(item[state === 'open' ? 'expectedCompletion' : 'actualCompletion']),
    mayHaveRunBefore: mayHaveRunBefore(token),
  }
}

function stateOf(token: Token): RequestState {
  switch (token.status) {
    case 'complete':
      return token.attemptId.startsWith(BY_OPERATOR) ? 'resolved' : 'completed'
    case 'error':
    case 'unknown':
      return 'dead'
    case 'undoing':
    case 'undone':
      return 'reset'
    case 'inProgress':
    case 'dying':
      return 'open'
  }
}

/** The attempt ids that operator commands write begin with it. */
const BY_OPERATOR = 'operator-'

/**
 * A claim after the retention counts attempts from 1 again, and keeps the fence. A released attempt and one that did not count
 * look the same, and so does a request that an operator has released.
 */
function mayHaveRunBefore({ fence, attempt, death }: Token): boolean {
  return death === 0 && fence > Math.max(attempt, 1)
}
