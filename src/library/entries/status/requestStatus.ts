import * as option from '../../base/options.ts'
import { type Clock, systemClock } from '../../base/clock.ts'
import { type Duration, parseDuration, TIME_EXPECTED, type Time, toTime } from '../../base/time.ts'
import { readToken, tokenKey } from '../../protocol/claim/token/token.ts'
import type { Store } from '../../protocol/store/store.ts'
import { flowStatus } from './flowStatus.ts'
import { readable, readOne } from './readOne.ts'
import type { RequestStatus } from './status.ts'
import { tokenStatus } from './tokenStatus.ts'
import { unknownStatus } from './unknownStatus.ts'

interface StatusOptions {
  /**
   * When the request was made, as it was sent. With it `unknown` says more: what is younger than its end would be remembered was not
   * forgotten, and an older request of a flow was overtaken. Default: not known.
   * @example sentAt: new Date('2026-01-31T12:00:00Z')
   */
  readonly sentAt?: Time
  /**
   * Reads again, at most every two seconds, until the request is completed, dead or superseded, or this time is over: at most
   * `'15m'`. Default: one look.
   * @example waitFor: '5s'
   */
  readonly waitFor?: Duration
  /** For tests. Default: the system's clock. */
  readonly clock?: Clock | undefined
}

/** A request of a `recordHandler` or `writeHandler`. */
export interface StatusOfRecord extends StatusOptions {
  /** Where its consumer keeps its tokens, such as `dynamoDbStore({ tableName })`. */
  readonly store: Store
  /** The consumer's `name`. */
  readonly name: string
  /**
   * The consumer's `formerNames`: a request may be stored under each of them, and is looked for by one read for each name until it
   * is found. Default: none.
   * @example formerNames: ['order-mails']
   */
  readonly formerNames?: readonly string[]
  /** The consumer's `retention`. Default: not known. */
  readonly retention?: Duration
}

/** A request of a flow. */
export interface StatusOfRun extends StatusOptions {
  /** What `defineFlow` has returned. */
  readonly flow: { reset(key: string): Promise<void> }
  /** What the flow's `key` gives for the payload. */
  readonly key: string
}

/**
 * Where a request stands, for the one who sent it: one consistent read of one item, and one for each of `formerNames` until it is
 * found. Needs `dynamodb:GetItem` on the table. For a flow it reads its record, and only if this does not say how the request ended
 * one item beside it, of an `every` flow two.
 * @param id the `uniqueRequestId` that `send`, `publish` or `start` has returned
 * @throws StoreUnavailableError when the table gives no answer, or an item that cannot be read: that is not `unknown`
 * @throws ConfigError naming the option, when one is wrong
 * @example
 * const status = await requestStatus({ store, name: 'orders' }, orderId)
 * if (status.state === 'dead') console.log(`given up: ${status.reason}`)
 * @example
 * const ended = await requestStatus({ flow: checkout, key: orderId, waitFor: '5s' }, orderId)
 */
export async function requestStatus(
  of: StatusOfRecord | StatusOfRun,
  id: string,
): Promise<RequestStatus> {
  const isRun = option.anObject.isRight(of) && 'flow' in of
  option.checkOptions(WHO, of, isRun ? RUN : RECORD)
  if (typeof id !== 'string' || id === '')
    throw option.wrongOption(WHO, 'id', 'what send, publish or start has returned', id)
  const { clock = systemClock } = of
  const sentAt = of.sentAt === undefined ? undefined : toTime(of.sentAt)
  const look = 'flow' in of ? lookAtRun(of, id, sentAt) : lookAtRecord(of, id, sentAt)
  return lookUntil(look, clock, clock.now() + (parseDuration(of.waitFor) ?? 0))
}

const WHO = 'requestStatus'
const LONGEST_WAIT_MS = 15 * 60_000

type Look = (now: number) => Promise<RequestStatus>

function lookAtRun({ flow, key }: StatusOfRun, id: string, sentAt: number | undefined): Look {
  return (now) => flowStatus({ flow, key, id, sentAt, now })
}

function lookAtRecord(of: StatusOfRecord, id: string, sentAt: number | undefined): Look {
  const { store, name, formerNames = [] } = of
  const retention =
    of.retention === undefined
      ? undefined
      : option.toMilliseconds(`${WHO}: retention`, of.retention)
  return async (now) => {
    let isForgotten = false
    // @protects a request of a renamed consumer is looked for under each name that it may be stored under
    // @without [formerNames[0] ?? name]
    const names = [...formerNames, name]
    for (const each of names) {
      const item = await readOne(store, tokenKey(each, id))
      if (item === undefined) continue
      const { actualCompletion } = item
      const endedAt = typeof actualCompletion === 'string' ? actualCompletion : undefined
      const status = tokenStatus(readable(item, readToken(item)), endedAt, now)
      if (status !== undefined) return status
      isForgotten = true
    }
    return isForgotten
      ? { state: 'unknown', possible: ['forgotten'] }
      : unknownStatus({ sentAt, retention, now })
  }
}

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 2_000
const ENDED: ReadonlySet<string> = new Set(['completed', 'dead', 'superseded'])

/** Pauses that double; the last look is at the deadline. */
async function lookUntil(look: Look, clock: Clock, deadline: number): Promise<RequestStatus> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    const now = clock.now()
    const status = await look(now)
    if (ENDED.has(status.state) || now >= deadline) return status
    // @protects a wait is not longer than it was asked for
    // @without pause
    const left = Math.min(pause, deadline - now)
    await clock.sleep(left)
  }
}

const COMMON: option.Checks<StatusOptions> = {
  sentAt: { expected: TIME_EXPECTED, isRight: (value) => toTime(value) !== undefined },
  waitFor: {
    expected: "milliseconds or a text such as '5s', at most '15m'",
    // @protects a wait that is longer than a function may run is refused
    // @without true
    isRight: (value) => (parseDuration(value) ?? Infinity) <= LONGEST_WAIT_MS,
  },
  clock: option.aClock,
}

const RECORD: option.Checks<StatusOfRecord> = {
  ...COMMON,
  store: option.aStore,
  name: option.required(option.matching(/./, "the name of a consumer, such as 'orders'")),
  formerNames: option.listOf(/./, "a list of names, such as ['orders']"),
  retention: option.anything,
}

const RUN: option.Checks<StatusOfRun> = {
  ...COMMON,
  flow: option.required(option.anObject),
  key: option.required(option.matching(/./s, 'what key(payload) gives')),
}
