import type { Value, Item } from '../../../store/store.ts'
import { readToken, type Token } from '../../../claim/token/token.ts'
import { itemKey, splitId } from '../../../sweeper/address.ts'
import { unreadableItemError } from '../../../sweeper/due/listDue.ts'

/** What the table shows about one request. */
export interface KnownRequest {
  /** Requests and ledger rows with the same text belong together. */
  readonly joinKey: string
  /** undefined: only a digest of it is stored, as for most requests of a flow that have ended. */
  readonly id: string | undefined
  /** Partition key of the item that shows it. */
  readonly pk: string
  readonly state: RequestState
  /** Names of the effects that it has certainly made, for a request that has not completed. */
  readonly marks: readonly string[]
  /** It has made no effect before then, epoch milliseconds. undefined: not known. */
  readonly began: number | undefined
  /** Whether `began` is the claim of a later attempt, so that an earlier one may have made effects before. */
  readonly retried: boolean
  /** What is stored here was made by then, epoch milliseconds. undefined: not known. */
  readonly settledBy: number | undefined
  /** An earlier life of the request, whose end was forgotten after its retention, may have made effects too. */
  readonly mayHaveRunBefore: boolean
}

/**
 * `completed`: its handler ended well. `resolved`: an operator ended it. `reset`: its run of a flow was superseded, reset or undone.
 * `dead`: dead-lettered, or parked. `open`: an attempt runs, or is to come.
 */
export type RequestState = 'completed' | 'resolved' | 'reset' | 'dead' | 'open'

/** An ISO time of an item as epoch milliseconds. */
export function storedTime(value: Value | undefined): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}

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
