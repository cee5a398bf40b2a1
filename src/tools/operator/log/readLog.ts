import { StringDecoder } from 'node:string_decoder'
import { isObject } from '../../../library/base/kindOf.ts'
import { displayId, splitId } from '../text/itemId.ts'

export interface LogReport {
  readonly entries: readonly LogEntry[]
  readonly lines: number
  /** Lines that are not log entries. */
  readonly skipped: number
  /** There were more entries than are kept. */
  readonly more: boolean
}

/**
 * The most entries that are kept: enough for the first delivery and the reason of its end. An operator cannot read more lines
 * anyway.
 */
const MOST = 10_000

/** @param onBytes called with the number of bytes of each chunk */
export async function readLog(
  chunks: AsyncIterable<Uint8Array | string>,
  asked: LogQuery,
  onBytes?: (bytes: number) => void,
): Promise<LogReport> {
  const wanted = isAbout(asked)
  const entries: LogEntry[] = []
  let [lines, skipped, more] = [0, 0, false]
  for await (const line of splitLines(chunks, onBytes)) {
    lines += 1
    const content = parseLogLine(line)
    if (content === 'unreadable') skipped += 1
    if (typeof content === 'string') continue
    for (const entry of content.filter(wanted)) {
      if (entries.length < MOST) entries.push(entry)
      else more = true
    }
  }
  return { entries, lines, skipped, more }
}

/** Characters. No log line is this long. The limit keeps a file without line ends from filling the memory. */
const LONGEST = 64 * 1_048_576

/** Splits chunks of text into lines. A line that is too long for a log becomes an empty line. */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array | string>,
  onBytes: (bytes: number) => void = () => {},
): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8')
  let pieces: string[] = []
  let length = 0
  const take = (piece: string): void => {
    length += piece.length
    if (length <= LONGEST) pieces.push(piece)
    else pieces = []
  }
  const line = (): string => {
    const text = pieces.join('')
    pieces = []
    length = 0
    return text
  }
  for await (const chunk of chunks) {
    const parts = (typeof chunk === 'string' ? chunk : decoder.write(Buffer.from(chunk))).split(
      '\n',
    )
    for (const [index, part] of parts.entries()) {
      if (index > 0) yield line()
      take(part)
    }
    onBytes(chunk.length)
  }
  take(decoder.end())
  if (length > 0) yield line()
}

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

export interface LogQuery {
  /** `consumer/ID`, `flow/KEY`, `name/KEY`; or a bare id: of a request, a message, a key, an answer. */
  readonly id: string
  /** Flows: only lines about this request. */
  readonly request?: string | undefined
}

/** Matches lines about the id, and lines about requests that conflicted with it: these name it as `by`, or have the same key. */
export function isAbout({ id, request }: LogQuery): (entry: LogEntry) => boolean {
  const full = displayId(id)
  const { owner, rest } = splitId(id)
  const bare = !full.includes('/')
  return ({ fields }) => {
    if (request !== undefined && !REQUESTS.some((name) => fields[name] === request)) return false
    const addresses = ADDRESSES.map((name) => fields[name]).filter((pk) => typeof pk === 'string')
    if (bare) {
      return (
        NAMES.some((name) => fields[name] === full) ||
        addresses.some((pk) => splitId(pk).rest === full)
      )
    }
    return (
      addresses.some((pk) => displayId(pk) === full) ||
      (isConsumerOf(fields['consumer'], owner) && NAMES.some((name) => fields[name] === rest))
    )
  }
}

const REQUESTS = ['uniquerequestid', 'by']
const NAMES = [...REQUESTS, 'key', 'messageId', 'externalId']
/** Log fields of the sweeper and of functions that hold an id of the table. */
const ADDRESSES = ['pk', 'lockToken']

/** The consumers of a flow are named `flow.stage`. */
function isConsumerOf(consumer: unknown, owner: string): boolean {
  return typeof consumer === 'string' && (consumer === owner || consumer.startsWith(`${owner}.`))
}

/** The table's id of the item that a line is about. Undefined: the line does not name it. */
export function tableIdOf({ fields }: LogEntry): string | undefined {
  const { consumer, stage, key, uniquerequestid, pk, lockToken } = fields
  const address = pk ?? lockToken
  if (typeof address === 'string') return displayId(address)
  if (typeof consumer !== 'string') return undefined
  if (typeof key === 'string') {
    const part = typeof stage === 'string' ? `.${stage}` : ''
    const flow = consumer.endsWith(part)
      ? consumer.slice(0, consumer.length - part.length)
      : consumer
    return `${flow}/${key}`
  }
  return typeof uniquerequestid === 'string' ? `${consumer}/${uniquerequestid}` : undefined
}
