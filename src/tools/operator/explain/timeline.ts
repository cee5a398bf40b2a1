import { itemKey } from '../../../library/entries/sweeper/address.ts'
import { splitId } from '../text/itemId.ts'
import { wasResolved } from './factParts.ts'
import { type TimelineEvent, meaningOf, NO_DETAILS, type Outcome } from './timelineEvent.ts'
import type { LogEntry } from '../log/readLog.ts'
import type { StoredRequest } from './readRequest.ts'
import { stepNameIn } from '../../../library/protocol/claim/awaiting/awaiting.ts'
import { readStageRecord } from '../../../library/protocol/claim/stage/stageRecord.ts'
import { requestIn } from '../../../library/protocol/claim/stage/version.ts'
import type { Item } from '../../../library/protocol/store/store.ts'
import { firstSentAt } from '../item/task.ts'
import { formatValue, nonEmptyText, timeIn } from '../text/humanTime.ts'

export function buildTimeline(
  entries: readonly LogEntry[],
  found: readonly StoredRequest[],
  acts: readonly TimelineEvent[] = [],
): readonly TimelineEvent[] {
  const tableItems = found.flatMap(({ items }) => items.flatMap(tableEvents))
  return [...entries.map(logEvent), ...onceEach(tableItems), ...acts].toSorted(
    (one, other) => (one.at ?? Infinity) - (other.at ?? Infinity) || 0,
  )
}

/** A change by an operator is shown on each item that it has changed. */
function onceEach(events: readonly TimelineEvent[]): readonly TimelineEvent[] {
  const nameOf = ({ at, where, what, why }: TimelineEvent): string =>
    JSON.stringify([at, where, what, why])
  return [...new Map(events.map((event) => [nameOf(event), event])).values()]
}

function logEvent({ at, message, fields }: LogEntry): TimelineEvent {
  const { consumer, name, pk, lockToken, uniquerequestid, attempt } = fields
  const address = pk ?? lockToken
  const owner = typeof address === 'string' ? splitId(address).owner : undefined
  const { kind, outcome } = meaningOf(message, fields['level'])
  return {
    at,
    from: 'log',
    where: nonEmptyText(consumer) ?? nonEmptyText(name) ?? owner ?? '',
    request: nonEmptyText(uniquerequestid),
    attempt: typeof attempt === 'number' ? attempt : undefined,
    kind,
    outcome,
    because: nonEmptyText(fields['because']),
    until: timeIn(fields['until']),
    messageId: nonEmptyText(fields['messageId']),
    what: message,
    why: whyOf(fields),
  }
}

/** Reads only fields that Lineclear writes, because a handler may log personal data. */
function whyOf(fields: LogEntry['fields']): string | undefined {
  const parts = REASON_FIELDS.flatMap(([name, label]) => {
    const text =
      nonEmptyText(fields[name]) ?? (typeof fields[name] === 'number' ? fields[name] : undefined)
    return text === undefined ? [] : [`${label}${DECISION_WORDS[text] ?? text}`]
  })
  return parts.length === 0 ? undefined : parts.join('; ')
}

const REASON_FIELDS = [
  ['reason', ''],
  ['why', ''],
  ['error', ''],
  ['as', ''],
  ['by', 'because of request '],
  ['externalId', 'answer for '],
  ['until', 'until '],
  ['retry', 'resend '],
  ['messageId', 'message '],
] as const

const DECISION_WORDS: Readonly<Record<string, string>> = {
  held: 'another attempt holds the lease',
  early: 'its next attempt is not due yet',
}

/** The events that an item records: the last claim, the end, and the last change by an operator. */
function tableEvents(item: Item): readonly TimelineEvent[] {
  const { pk, sk } = itemKey(item)
  const { attempt, created, lockedBy, error, queued, actualCompletion, status } = item
  const { operatorAt, operatorBy, operatorDid, operatorWhy } = item
  const common = {
    ...NO_DETAILS,
    from: 'table',
    where: splitId(pk).owner,
    request: requestOf(item),
    attempt: typeof attempt === 'number' && attempt > 0 ? attempt : undefined,
    until: sk.startsWith('await#') ? timeOf(item['until']) : undefined,
  } as const
  const moment = (
    time: unknown,
    event: Pick<TimelineEvent, 'kind' | 'what'> & Partial<TimelineEvent>,
    why?: unknown,
  ): readonly TimelineEvent[] => {
    const at = timeIn(time)
    return at === undefined ? [] : [{ ...common, at, why: nonEmptyText(why), ...event }]
  }
  const ended = status === undefined ? 'ended' : `ended as ${formatValue(status)}`
  const did = `${formatValue(operatorDid)}, by ${formatValue(operatorBy)}`
  const begunBy = lockedBy === undefined ? error : `by ${formatValue(lockedBy)}`
  return [
    ...firstSentEvent(item),
    ...moment(created, beginningOf(item), begunBy),
    ...moment(queued, { kind: 'queued', what: 'queued' }),
    ...moment(actualCompletion, { kind: 'settled', what: ended, outcome: outcomeOf(item) }, error),
    ...moment(operatorAt, { kind: 'operator', what: did }, operatorWhy),
  ]
}

/** undefined: an operator has ended it, and not its attempt. */
function outcomeOf({
  status,
  operatorDid,
  operatorAt,
  actualCompletion,
}: Item): Outcome | undefined {
  const apart = Math.abs((timeIn(operatorAt) ?? 0) - (timeIn(actualCompletion) ?? 0))
  if (wasResolved(operatorDid) && apart < BY_OPERATOR) return undefined
  if (status === undefined) return 'succeeded'
  return status === 'unknown' ? 'unknown' : 'dead'
}

/** Between the plan, which has the end, and its change, milliseconds. */
const BY_OPERATOR = 60_000

function timeOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

function beginningOf(item: Item): Pick<TimelineEvent, 'kind' | 'what'> {
  const key = itemKey(item)
  if (key.sk === 'token') return { kind: 'began', what: 'claimed' }
  if (key.sk.startsWith('await#'))
    return { kind: 'waits', what: `waits for the answer of step ${stepNameIn(key)}` }
  return key.sk.startsWith('dead#')
    ? { kind: 'died', what: 'died' }
    : { kind: 'accepted', what: 'taken' }
}

/** A flow records when the newest request that started was first sent. */
function firstSentEvent(item: Item): readonly TimelineEvent[] {
  const record = itemKey(item).sk === 'stage' ? readStageRecord(item) : undefined
  if (record?.newest === undefined) return []
  const { newest, key } = record
  const where = splitId(key.pk).owner
  const common = { ...NO_DETAILS, where, request: requestIn(newest) }
  return [{ ...common, at: firstSentAt(newest), from: 'table', kind: 'sent', what: 'first sent' }]
}

function requestOf(item: Item): string | undefined {
  const { pk, sk } = itemKey(item)
  if (sk === 'token') return splitId(pk).rest
  if (sk === 'stage') return nonEmptyText(item['uniquerequestid'])
  return nonEmptyText(item['uniquerequestid']) ?? nonEmptyText(sk.split('#').at(-1))
}
