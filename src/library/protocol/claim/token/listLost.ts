import type { Update } from '../../store/store.ts'
import { INDEX_ATTRIBUTES, indexed } from '../statusIndex.ts'
import { asJudged, tokenKeyOf } from './claimWrites.ts'
import type { Token } from './token.ts'

/**
 * Lists a request whose first attempt was lost, as a second attempt would have. The next claim writes these attributes too, so
 * nothing but the index is changed: a message that is delivered again runs as it would have.
 */
export function listLost(token: Token): Update {
  return {
    needsNoItem: true,
    key: tokenKeyOf(token),
    where: [
      // @protects a request is listed as lost only as it was judged
      // @tests test/sweeper/search/lost
      ...asJudged(token),
      { absent: 'dueAt' },
    ],
    set: indexed(token.pk, 'inProgress', token.leaseUntil),
  }
}

/**
 * An attempt that was taken for lost and has completed all the same: its first attempts do not know that they were listed, and
 * leave the token in the index.
 */
export function unlistEnded(token: Token): Update {
  return { key: tokenKeyOf(token), where: asJudged(token), remove: INDEX_ATTRIBUTES }
}
