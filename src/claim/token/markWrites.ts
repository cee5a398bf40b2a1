import type { Condition, Update } from '../../store/store.ts'
import { tokenKeyOf } from './claimWrites.ts'
import { ownedBy } from './settleWrites.ts'
import { CALL_PREFIX, type Token } from './token.ts'

/**
 * Written before an outside call that must not be repeated, and after every call. A result is written once and never overwrites
 * another one.
 */
export function storeCall(
  token: Token,
  name: string,
  stored: string,
  before: string | undefined,
): Update {
  const field = CALL_PREFIX + name
  const asBefore: Condition =
    before === undefined ? { absent: field } : { field, is: '=', value: before }
  return {
    needsNoItem: true,
    key: tokenKeyOf(token),
    where: [...ownedBy(token), asBefore],
    set: { [field]: stored },
  }
}

/** The call never reached the outside system, so it may be made again. */
export function forgetCall(token: Token, name: string): Update {
  return {
    needsNoItem: true,
    key: tokenKeyOf(token),
    where: ownedBy(token),
    remove: [CALL_PREFIX + name],
  }
}

export function addEffect(token: Token, name: string): Update {
  return {
    key: tokenKeyOf(token),
    where: [...ownedBy(token), { field: 'applied', lacks: name }],
    addTo: { field: 'applied', member: name },
  }
}

/** Changes nothing, but makes the transaction fail when the claim is lost. */
export function checkOwned(token: Token): Update {
  return { key: tokenKeyOf(token), where: ownedBy(token) }
}
