import type { Io } from './command.ts'
import { jsonText } from './printJson.ts'
import { visibleJson } from './table.ts'

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
