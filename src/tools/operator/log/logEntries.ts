import { isObject } from '../../../base/kindOf.ts'
/** One entry of a log, as the logger wrote it. */
export interface LogEntry {
  /** Epoch milliseconds; undefined: the entry has none. */
  readonly at: number | undefined
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** `frame`: JSON around the entries. `unreadable`: text of the runtime, of other code, or half a line. */
export type LineContent = readonly LogEntry[] | 'frame' | 'unreadable'

/**
 * Parses a line of the default logger or Powertools Logger: alone, inside the JSON of Lambda or `filter-log-events`, or behind the
 * prefix of `aws logs tail` and of the runtime.
 */
export function parseLogLine(line: string): LineContent {
  const text = line.trim()
  if (text === '' || FRAME.test(text)) return 'frame'
  const quoted = MESSAGE.exec(text)?.[1]
  if (quoted !== undefined) {
    const inner = parse(quoted)
    return typeof inner === 'string' ? entriesOfText(inner, undefined) : 'unreadable'
  }
  return FIELD.test(text) ? 'frame' : entriesOfText(text, undefined)
}

/** `filter-log-events` prints each event over several lines; one of them holds the log line as a JSON string. */
const MESSAGE = /^"message": ("(?:[^"\\]|\\.)*"),?$/s
const FIELD =
  /^"(?:events|logStreamName|timestamp|ingestionTime|eventId|searchedLogStreams|searchedCompletely|nextToken)":/
const FRAME = /^[[\]{}]+,?$/

function entriesOfText(text: string, fallback: number | undefined): LineContent {
  const start = text.indexOf('{')
  const value = start < 0 ? undefined : parse(text.slice(start))
  if (!isObject(value)) return 'unreadable'
  const { events } = value
  if (Array.isArray(events)) return events.flatMap(entriesOfEvent)
  const before = Date.parse(/^\S+/.exec(text.slice(0, start))?.[0] ?? '')
  return entriesOfObject(value, Number.isNaN(before) ? fallback : before)
}

function entriesOfEvent(event: unknown): readonly LogEntry[] {
  if (!isObject(event) || typeof event['message'] !== 'string') return []
  const { message, timestamp } = event
  const content = entriesOfText(message, isTime(timestamp) ? timestamp : undefined)
  return typeof content === 'string' ? [] : content
}

/** Lambda may wrap the line in a line of its own, as a string or as an object. */
function entriesOfObject(
  value: Readonly<Record<string, unknown>>,
  fallback: number | undefined,
): LineContent {
  if (isMetricLine(value)) return 'frame'
  const { message, timestamp } = value
  const own = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN
  const at = Number.isNaN(own) ? fallback : own
  const inner = typeof message === 'string' && message.startsWith('{') ? parse(message) : message
  if (isObject(inner)) return entriesOfObject(inner, at)
  return typeof message === 'string' ? [{ at, message, fields: value }] : 'unreadable'
}

/** A line of CloudWatch's embedded metric format, such as `emfMetrics()` writes: no logger wrote it. */
function isMetricLine({ _aws: metadata }: Readonly<Record<string, unknown>>): boolean {
  return isObject(metadata) && Array.isArray(metadata['CloudWatchMetrics'])
}

/** Whether a Date can be made of it. */
function isTime(value: unknown): value is number {
  return typeof value === 'number' && !Number.isNaN(new Date(value).getTime())
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
