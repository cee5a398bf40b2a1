import { hash } from 'node:crypto'
import { bodyOf, isComputed, payloadHashOf } from '../../../record/message/message.ts'
import { tokenKeyOf } from '../../../claim/token/claimWrites.ts'
import type { Token } from '../../../claim/token/token.ts'
import type { Update } from '../../../store/store.ts'

/** What an edit has to change in the table, or why it must not be made. */
type EditDecision =
  | {
      readonly kind: 'allowed'
      /** The record accepts the new payload, and no longer the old one. undefined: no record compares payloads. */
      readonly update: Update | undefined
      readonly notes: readonly string[]
    }
  | { readonly kind: 'impossible'; readonly because: string }

/**
 * A consumer refuses another payload under a known id as a conflict, because any sender could send one. So the operator writes the
 * hash of the new payload into the record, on the condition that nothing has happened to the request since the plan. A sender
 * cannot write the table.
 * @param token of the request. undefined: the table has none
 */
export function decideEdit(
  token: Token | undefined,
  { before, after }: { readonly before: string; readonly after: string },
  now: number,
): EditDecision {
  if (token === undefined) return { kind: 'allowed', update: undefined, notes: [] }
  const because = whyNot(token, now)
  if (because !== undefined) return { kind: 'impossible', because }
  const notes = notRepeated(token)
  const { payloadHash } = token
  const [oldHash, newHash] = [hash('md5', before), hash('md5', after)]
  if (payloadHash === undefined || bodyOf(payloadHash) === newHash) {
    return { kind: 'allowed', update: undefined, notes }
  }
  if (bodyOf(payloadHash) !== oldHash) {
    return {
      kind: 'impossible',
      because:
        'the record is of another payload: its consumer takes the payload out of an event (option envelopes), or this message is ' +
        'not the one that the consumer has run. Send a corrected message under an id of its own',
    }
  }
  return { kind: 'allowed', update: acceptPayload(token, payloadHash, newHash), notes }
}

function whyNot({ status, leaseUntil }: Token, now: number): string | undefined {
  if (status === 'complete') return 'its request is done: nothing would run'
  if (status === 'dying') return 'its dead letter is being sent: wait a minute'
  if (status === 'inProgress' && leaseUntil > now) return 'an attempt of it is running'
  return undefined
}

/** Everything that a claim, an end or an operator changes is compared. */
function acceptPayload(token: Token, stored: string, newHash: string): Update {
  const { attemptId, fence, status, death, leaseUntil } = token
  return {
    key: tokenKeyOf(token),
    where: [
      { field: 'attemptId', is: '=', value: attemptId },
      { field: 'fence', is: '=', value: fence },
      { field: 'status', is: '=', value: status },
      { field: 'payloadHash', is: '=', value: stored },
      death === 0 ? { absent: 'death' } : { field: 'death', is: '=', value: death },
      leaseUntil === 0
        ? { any: [{ absent: 'leaseUntil' }, { field: 'leaseUntil', is: '=', value: 0 }] }
        : { field: 'leaseUntil', is: '=', value: leaseUntil },
    ],
    set: { payloadHash: payloadHashOf(newHash, isComputed(stored)) },
  }
}

/** An edit does not change what has been done with the old payload. */
function notRepeated({ applied, calls }: Token): readonly string[] {
  const names = [...applied, ...calls.keys()]
  if (names.length === 0) return []
  return [`made with the old payload, and not repeated: ${names.join(', ')}`]
}
