import { DAY_MS, ttlAt } from '../../../base/limits/lifetime.ts'
import { isoTime } from '../../../base/time.ts'
import type { Update } from '../../store/store.ts'
import { INDEX_ATTRIBUTES, indexed } from '../statusIndex.ts'
import { byHolder } from './ownedBy.ts'
import type { Token } from './token.ts'
import { cut, deadStatus, OF_ATTEMPTS } from './tokenWrites.ts'

/**
 * `onFailure` has returned. A death that is final is forgotten a day after the last message that may ask for it; any other waits for
 * an operator.
 */
export function endAct(token: Token, now: number, retention: number): Update {
  const status = deadStatus(token)
  const isFinal = token.ending?.final === true
  const listed = indexed(token.pk, status, now)
  return byHolder(token, {
    set: {
      status,
      actualCompletion: isoTime(now),
      ...(isFinal ? { ttl: ttlAt(now + retention + DAY_MS) } : listed),
    },
    remove: [...OF_ATTEMPTS, 'untold', ...(isFinal ? INDEX_ATTRIBUTES : [])],
  })
}

/** `onFailure` is given up: it waits for an operator. */
export function giveUpAct(token: Token, error: string, now: number): Update {
  const status = deadStatus(token)
  return byHolder(token, {
    set: {
      status,
      untold: cut(error),
      actualCompletion: isoTime(now),
      ...indexed(token.pk, status, now),
    },
    remove: OF_ATTEMPTS,
  })
}
