import { encodeValue } from '../../../library/run/context/results/storedValue.ts'
import { RESULT_ARRIVES_WITHIN_MS } from '../../../library/run/context/results/tokenResult.ts'
import { STARTED } from '../../../library/protocol/claim/hold.ts'
import {
  CALL_PREFIX,
  ENDED_PREFIX,
  readToken,
  type Token,
} from '../../../library/protocol/claim/token/token.ts'
import type { Item, StoreKey } from '../../../library/protocol/store/store.ts'
import { itemKey } from '../../../library/entries/sweeper/address.ts'
import { isoTime } from '../../../library/base/time.ts'
import { asShown } from '../plan/tokenChange.ts'
import { timeIn } from '../text/humanTime.ts'
import {
  blanked,
  dropped,
  endFirst,
  ERASED,
  erasing,
  type Judged,
  left,
  operatorReason,
} from './judged.ts'

/** The rows of a request or of a key: its token, and results that are too large for it. */
export function judgeToken(
  items: readonly Item[],
  now: number,
  hasObjects: boolean,
): readonly Judged[] {
  const item = items.find((each) => itemKey(each).sk === 'token')
  const results = items.filter((each) => itemKey(each).sk.startsWith('result#'))
  const own = item && judgeOne(item, now, hasObjects)
  if (own?.kind === 'left') return [own]
  const rest = results.map((each) =>
    erasing(itemKey(each), [{ exists: 'result' }], [dropped(each, 'result')]),
  )
  return [own, ...rest].filter((each) => each !== undefined)
}

function judgeOne(item: Item, now: number, hasObjects: boolean): Judged | undefined {
  const key = itemKey(item)
  const token = readToken(item)
  if (token === undefined) return left(key, 'this version cannot read it')
  // @protects a request that can still run keeps what its next attempt needs
  // @without false @tests test/tools/cli/forget.test.ts
  if (!hasEnded(token)) return left(key, whyOpen(token, now))
  const place = item['resultIn']
  if (place === 'item' || place === 'store') {
    const until = (timeIn(item['actualCompletion']) ?? 0) + RESULT_ARRIVES_WITHIN_MS
    if (until > now)
      return left(
        key,
        `it has just ended, and its result is on its way: type it again after ${isoTime(until)}`,
      )
  }
  if (place === 'store' && !hasObjects) {
    return left(
      key,
      'its result is in the bucket of the option offload: give --objects s3://BUCKET/PREFIX',
    )
  }
  const hasResult = item['result'] !== undefined || place === 'item' || place === 'store'
  return erasing(key, asShown(token), [
    hasResult
      ? { what: ['result'], set: { resultIn: 'none', notKept: ERASED }, remove: ['result'] }
      : blanked(item, 'notKept'),
    blanked(item, 'error'),
    dropped(item, 'stack'),
    dropped(item, 'untold'),
    ...erasedCalls(CALL_PREFIX, token.calls),
    ...erasedCalls(ENDED_PREFIX, token.ending?.calls ?? []),
    operatorReason(item),
  ])
}

/** A death that is final never runs again, and once it was reported nothing else does. */
function hasEnded({ status, ending }: Token): boolean {
  if (status === 'complete') return true
  const isReported = (status === 'error' || status === 'unknown') && ending?.untold === undefined
  return isReported && ending?.final === true
}

function erasedCalls(
  prefix: string,
  calls: Iterable<readonly [name: string, text: string]>,
): Parameters<typeof erasing>[2] {
  return [...calls].map(([name, text]) =>
    text === STARTED || text === ERASED_CALL
      ? undefined
      : { what: [`result of ${name}`], set: { [prefix + name]: ERASED_CALL } },
  )
}

/** The call stays one that was made. */
const ERASED_CALL = `done:${encodeValue(null)}`

function whyOpen({ pk, status, leaseUntil }: Token, now: number): string {
  if (status === 'dying') return 'its dead letter is being sent: type it again in a minute'
  if (leaseUntil > now)
    return `an attempt of it is running, until ${isoTime(leaseUntil)} at the latest`
  return `it can still run, and needs what is stored. ${endFirst(pk)}`
}

/** Where the option `offload` keeps a result that the table has no room for. */
export function resultObjectOf(item: Item): string | undefined {
  const { pk } = itemKey(item)
  const { attemptId, resultIn } = item
  return resultIn === 'store' && typeof attemptId === 'string' ? `${pk}/${attemptId}` : undefined
}

export function isToken({ sk }: StoreKey): boolean {
  return sk === 'token'
}
