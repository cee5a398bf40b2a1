import { storedKey } from '../../../library/entries/flow/messagePosition.ts'
import { recordKey } from '../../../library/protocol/claim/stage/stageRecord.ts'
import { namedKeys, formsOfId } from '../item/namedKeys.ts'
import { splitId } from '../text/itemId.ts'
import type { DeadLetter } from '../dlq/deadLetter.ts'

/** What is to be forgotten, as an operator names it. */
export interface ToForget {
  readonly id: string
  /** Every partition that the id may name. */
  readonly pks: readonly string[]
  /** The id behind the name of its consumer, as a user types it and as messages have it. */
  readonly forms: readonly string[]
  readonly owner: string
}

export function toForget(id: string): ToForget {
  const { owner, rest } = splitId(id)
  return { id, pks: namedKeys(id).map(({ pk }) => pk), forms: formsOfId(rest), owner }
}

/** Whether a dead letter is of it. `not known`: it has the id, and names no consumer. */
export function belongs(
  { pks, forms, owner }: ToForget,
  { envelope, uniqueRequestId, record }: DeadLetter,
): 'yes' | 'no' | 'not known' {
  const { flow, consumer } = envelope.carried
  if (flow !== undefined) {
    const keys = [flow.key, storedKey(flow.key)].map((key) => recordKey(flow.name, key).pk)
    return keys.some((key) => pks.includes(key)) ? 'yes' : 'no'
  }
  if (![uniqueRequestId, record.messageId].some((each) => forms.includes(each))) return 'no'
  // @protects a dead letter of another consumer that has the same id stays
  // @without 'yes' @tests test/tools/cli/forget.test.ts
  return consumer === undefined ? 'not known' : consumer === owner ? 'yes' : 'no'
}

/** Whether a text names the id, and not one that contains it. */
export function isNamedIn(text: unknown, { id, forms }: ToForget): boolean {
  if (typeof text !== 'string') return false
  return [id, ...forms].some((form) => {
    const exact = form.replaceAll(SYNTAX, String.raw`\$&`)
    return (
      form !== '' && new RegExp(`(?<![\\p{L}\\p{N}])${exact}(?![\\p{L}\\p{N}])`, 'u').test(text)
    )
  })
}

const SYNTAX = /[\\^$.*+?()[\]{}|/]/g
