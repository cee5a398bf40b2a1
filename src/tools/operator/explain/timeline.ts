import { splitId } from '../../../sweeper/address.ts'
import { nonEmptyText, timeIn } from './factParts.ts'
import { type TimelineEvent, meaningOf } from './timelineEvent.ts'
import type { LogEntry } from '../log/readLog.ts'
import type { StoredRequest } from './readRequest.ts'
import { tableEvents } from './tableEvents.ts'

/** Events from the log, the table and the audit, in order of time. */
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

/** A change by an operator stands on each item that it has changed. */
function onceEach(events: readonly TimelineEvent[]): readonly TimelineEvent[] {
  const nameOf = ({ at, where, what, why }: TimelineEvent): string =>
    JSON.stringify([at, where, what, why])
  return [...new Map(events.map((event) => [nameOf(event), event])).values()]
}

function logEvent({ at, message, fields }: LogEntry): TimelineEvent {
  const { consumer, scope, pk, lockToken, uniquerequestid, attempt } = fields
  const address = pk ?? lockToken
  const owner = typeof address === 'string' ? splitId(address).owner : undefined
  const { kind, outcome } = meaningOf(message, fields['level'])
  return {
    at,
    from: 'log',
    where: nonEmptyText(consumer) ?? nonEmptyText(scope) ?? owner ?? '',
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
