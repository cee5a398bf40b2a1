import { partsOf } from './address.ts'
import { type Happening, textOf } from './timelineEvent.ts'
import type { LogEntry } from './log/logEntries.ts'
import type { Shown } from './showRequest.ts'
import { tableHappenings } from './tableEvents.ts'

/** What the log and the table know, in order of time. */
export function timelineOf(
  entries: readonly LogEntry[],
  found: readonly Shown[],
): readonly Happening[] {
  const told = found.flatMap(({ items }) => items.flatMap(tableHappenings))
  return [...entries.map(happeningOf), ...told].toSorted(
    (one, other) => (one.at ?? Infinity) - (other.at ?? Infinity) || 0,
  )
}

function happeningOf({ at, message, fields }: LogEntry): Happening {
  const { consumer, scope, pk, lockToken, uniquerequestid, attempt } = fields
  const address = pk ?? lockToken
  const owner = typeof address === 'string' ? partsOf(address).owner : undefined
  return {
    at,
    from: 'log',
    where: textOf(consumer) ?? textOf(scope) ?? owner ?? '',
    request: textOf(uniquerequestid),
    attempt: typeof attempt === 'number' ? attempt : undefined,
    what: message,
    why: whyOf(fields),
  }
}

/** Only what the framework writes: what a handler logs may be personal. */
function whyOf(fields: LogEntry['fields']): string | undefined {
  const parts = TOLD.flatMap(([name, label]) => {
    const text =
      textOf(fields[name]) ?? (typeof fields[name] === 'number' ? fields[name] : undefined)
    return text === undefined ? [] : [`${label}${WORDS[text] ?? text}`]
  })
  return parts.length === 0 ? undefined : parts.join('; ')
}

const TOLD = [
  ['reason', ''],
  ['why', ''],
  ['error', ''],
  ['as', ''],
  ['by', 'by request '],
  ['externalId', 'answer for '],
  ['until', 'until '],
  ['retry', 'copy '],
  ['messageId', 'message '],
] as const

const WORDS: Readonly<Record<string, string>> = {
  held: 'another attempt of it runs',
  early: 'its time has not come',
}
