import type { Token } from '../../../claim/token/token.ts'
import { isIdempotencyKey } from '../../../sweeper/address.ts'
import { unknownCalls } from './tokenState.ts'

/** What a call of a key does, for `--not-done`, where its calls have no names. */
export const SECTION = 'section'

/** A key whose function has no `ctx`: its effects are not recorded, so it runs as a whole or not at all. */
export function isWholeSection({ pk, since }: Token): boolean {
  return isIdempotencyKey(pk) && since === undefined
}

/**
 * What `--not-done` has to name before it is released: the calls with an unknown outcome, or the section of a key. That of a key
 * without `ctx` is unknown however it ended: nothing records what it has done outside.
 */
export function unknownOutcomes(token: Token): readonly string[] {
  if (isWholeSection(token)) return [SECTION]
  const calls = unknownCalls(token)
  const isSection = isIdempotencyKey(token.pk) && token.status === 'unknown' && calls.length === 0
  return isSection ? [SECTION] : calls
}
