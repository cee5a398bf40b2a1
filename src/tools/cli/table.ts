import { isoTime } from '../../library/base/time.ts'
import { JSON_VERSION } from '../console/reply.ts'
import type { Io } from './command.ts'

/**
 * A table. If the terminal is too narrow, explanations are cut in the middle; ids and names never are, because they are copied into
 * the next command.
 */
export function tableLines(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  width: number | undefined,
): readonly string[] {
  const all = [head, ...rows].map((row) => row.map(oneLine))
  const widths = head.map((_, at) => Math.max(...all.map((row) => (row[at] ?? '').length)))
  shrink(widths, head, width)
  return all.map((row) =>
    row
      .map((cell, at) => cut(cell, widths[at] ?? 0).padEnd(widths[at] ?? 0))
      .join(GAP)
      .trimEnd(),
  )
}

const GAP = '  '
const LEAST = 12
const MAY_BE_CUT: ReadonlySet<string> = new Set(['WHY', 'ERROR'])

function shrink(widths: number[], head: readonly string[], width: number | undefined): void {
  if (width === undefined) return
  const over =
    widths.reduce((sum, each) => sum + each, 0) + GAP.length * (widths.length - 1) - width
  const at = head.findIndex((name) => MAY_BE_CUT.has(name))
  if (over > 0 && at >= 0) widths[at] = Math.max(LEAST, (widths[at] ?? 0) - over)
}

function cut(text: string, width: number): string {
  if (text.length <= width) return text
  const front = Math.ceil((width - 1) / 2)
  return `${text.slice(0, front)}…${text.slice(text.length - (width - 1 - front))}`
}

/**
 * Foreign text must not move the cursor, forge a line or reverse the reading order: control and format characters (C0, C1,
 * bidirectional marks, zero width) are shown as codes.
 */
export function oneLine(text: string): string {
  return text.replaceAll(/[\t\n\r]+/g, ' ').replaceAll(UNSEEN, (each) => `<U+${codeOf(each)}>`)
}

/** JSON without invisible characters: they are escaped as JSON escapes. */
export function visibleJson(json: string): string {
  return json.replaceAll(UNSEEN, (each) =>
    each === '\n'
      ? each
      : Array.from({ length: each.length }, (_, at) => `\\u${codeOf(each[at] ?? '')}`).join(''),
  )
}

const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

function codeOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
}

/** Ids in a line of their own: what an operator compares with the outside system. */
const SHOWN = 100

/** Indented, and with the number of those that are not shown. */
export function listLines(lines: readonly string[]): readonly string[] {
  const rest = lines.length - SHOWN
  const more = rest > 0 ? [`  and ${rest} more: --json lists them`] : []
  return [...lines.slice(0, SHOWN).map((line) => `  ${line}`), ...more]
}

export function printJson(
  { out, clock, change }: Pick<Io, 'out' | 'clock' | 'change'>,
  found: Readonly<Record<string, unknown>>,
): void {
  out(jsonText({ command: change.args[0], now: clock.now() }, found))
}

/**
 * One object for every command: `version`, `command`, `at`, and what the command found, or `error`. Times are ISO 8601. Sets become
 * lists. Nothing is cut, and invisible characters are escaped.
 */
export function jsonText(
  { command, now }: { readonly command: string | undefined; readonly now: number },
  found: Readonly<Record<string, unknown>>,
): string {
  const text = JSON.stringify(
    { version: JSON_VERSION, command, at: isoTime(now), ...found },
    (_name, each: unknown) => (each instanceof Set ? [...each] : each),
    2,
  )
  return visibleJson(text)
}

/** A time of a report for JSON. Epoch milliseconds; undefined stays. */
export function jsonTime(time: number | undefined): string | undefined {
  return time === undefined ? undefined : isoTime(time)
}
