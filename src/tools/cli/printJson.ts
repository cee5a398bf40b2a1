import { isoTime } from '../../base/time.ts'
import { JSON_VERSION } from '../console/reply.ts'
import type { Io } from './command.ts'
import { visibleJson } from './table.ts'

/** Prints what a command has found, as `jsonText` writes it. */
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

/**
 * As `printJson`, with a list that is written as it is read: memory does not grow with it.
 * @param after what follows the list, known when it has ended
 */
export async function printJsonList(
  { out, clock, change }: Pick<Io, 'out' | 'clock' | 'change'>,
  name: string,
  list: AsyncIterable<object>,
  after: () => Readonly<Record<string, unknown>>,
): Promise<void> {
  const head = jsonText({ command: change.args[0], now: clock.now() }, {})
  out(`${head.slice(0, -'\n}'.length)},\n  ${JSON.stringify(name)}: [`)
  let last: string | undefined
  for await (const each of list) {
    if (last !== undefined) out(`${last},`)
    last = visibleJson(indent(JSON.stringify(each, null, 2), '    '))
  }
  if (last !== undefined) out(last)
  const tail = JSON.stringify(after(), null, 2).slice('{\n'.length)
  out(`  ],\n${visibleJson(tail)}`)
}

function indent(text: string, by: string): string {
  return by + text.replaceAll('\n', `\n${by}`)
}
