import { readDeadRun } from '../../../library/protocol/claim/stage/deadRun.ts'
import { readEndedRequest } from '../../../library/protocol/claim/stage/endRun.ts'
import {
  type EndKind,
  type RequestEnd,
  readStageRecord,
  type StageRecord,
} from '../../../library/protocol/claim/stage/stageRecord.ts'
import { digestOf, requestIn } from '../../../library/protocol/claim/stage/version.ts'
import type { Item } from '../../../library/protocol/store/store.ts'
import { itemKey } from '../../../library/entries/sweeper/address.ts'
import { damagedItem } from '../../../library/base/format.ts'
import { firstSentAt } from '../item/task.ts'
import { timeIn } from '../text/humanTime.ts'
import type { KnownRequest, RequestState } from './knownRequest.ts'

export function flowPrefix(flow: string): string {
  return `flow#${flow}/`
}

/**
 * The requests that one item of a flow shows: its stage record, a dead request, or a request that ended long ago. One request may
 * be shown by several items: `mergeRequests` combines them. An ended request is known by the digest of its id.
 * @param retention of the flow, milliseconds: its record stores no time of the end, only when the end is forgotten
 * @throws StoreUnavailableError for an item of a newer version
 */
export function flowRequests(item: Item, retention: number): readonly KnownRequest[] {
  const { pk, sk } = itemKey(item)
  if (sk === 'stage') return requestsOfRecord(item, retention)
  if (sk.startsWith('dead#')) return deadRequest(item)
  if (sk.startsWith('done#')) {
    const end = readEndedRequest(item)
    if (end === undefined) throw damagedItem(`the item ${sk} of ${pk}`)
    return [ended(pk, { digest: sk.slice('done#'.length), as: end }, item, retention)]
  }
  return []
}

function requestsOfRecord(item: Item, retention: number): readonly KnownRequest[] {
  const record = readStageRecord(item)
  if (record === undefined) throw damagedItem(`the stage record ${itemKey(item).pk}`)
  const { pk } = record.key
  const ends = new Map(
    [...record.ended, ...[record.last ?? []].flat()].map((end) => [end.digest, end]),
  )
  const known = [...ends.values()].map((end) => ended(pk, end, item, retention))
  return [...known.map((request) => withNewest(request, record)), ...running(record)]
}

/** The record has the id and the time of the newest request. */
function withNewest(request: KnownRequest, { newest }: StageRecord): KnownRequest {
  if (newest === undefined) return request
  const id = requestIn(newest)
  return digestOf(id) === request.joinKey ? { ...request, id, began: firstSentAt(newest) } : request
}

function running(record: StageRecord): readonly KnownRequest[] {
  const { run, newest, key } = record
  if (run === undefined) return []
  const id = run.uniqueRequestId
  const isNewest = newest !== undefined && requestIn(newest) === id
  return [
    {
      ...UNKNOWN_TIMES,
      joinKey: digestOf(id),
      id,
      pk: key.pk,
      state: 'open',
      marks: effectsIn(run.marks),
      began: isNewest ? firstSentAt(newest) : undefined,
    },
  ]
}

/** An item with a `ttl` was closed: its request ended after a redrive, or an operator has given it up. */
function deadRequest(item: Item): readonly KnownRequest[] {
  const { pk, sk } = itemKey(item)
  const dead = readDeadRun(item)
  if (dead === undefined) throw damagedItem(`the item ${sk} of ${pk}`)
  if (item['ttl'] !== undefined) return []
  const { uniqueRequestId: id, marks } = dead
  return [
    {
      ...UNKNOWN_TIMES,
      joinKey: digestOf(id),
      id,
      pk,
      state: 'dead',
      marks: effectsIn(marks),
      settledBy: timeIn(item['created']),
    },
  ]
}

const STATES: Readonly<Record<EndKind, RequestState>> = {
  completed: 'completed',
  reset: 'reset',
  dead: 'reset',
}

/** A request that was reset, or is dead without an item of its own, has no marks left: it may have made effects or not. */
function ended(
  pk: string,
  { digest, as }: RequestEnd,
  { ttl }: Item,
  retention: number,
): KnownRequest {
  return {
    ...UNKNOWN_TIMES,
    joinKey: digest,
    id: undefined,
    pk,
    state: STATES[as],
    marks: [],
    settledBy: typeof ttl === 'number' ? ttl * 1_000 - retention : undefined,
  }
}

const UNKNOWN_TIMES = {
  began: undefined,
  retried: false,
  settledBy: undefined,
  mayHaveRunBefore: false,
} as const

/** `STAGE:NAME`; the marks of outside calls have `?` or `!` behind the stage. */
function effectsIn(marks: ReadonlySet<string>): readonly string[] {
  return [...marks].filter((mark) => /^[^:?!]+:/.test(mark))
}

/**
 * What several items show about one request. A run that holds its key is the present state; a completion is final; a dead
 * request's own item knows its marks, the list of ended requests does not.
 */
export function mergeRequests(one: KnownRequest | undefined, other: KnownRequest): KnownRequest {
  if (one === undefined) return other
  const isFirst = RANK.indexOf(one.state) <= RANK.indexOf(other.state)
  const [best, rest] = isFirst ? [one, other] : [other, one]
  return { ...best, id: best.id ?? rest.id }
}

const RANK: readonly RequestState[] = ['open', 'completed', 'resolved', 'dead', 'reset']
