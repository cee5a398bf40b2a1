import { type LogQuery, isAbout } from './isAbout.ts'
import { parseLogLine, type LogEntry } from './logEntries.ts'
import { splitLines } from './splitLines.ts'

export interface LogReport {
  /** Entries about the id, in the order of the log. */
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
