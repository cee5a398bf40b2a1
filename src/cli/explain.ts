import { explain as explainShown } from '../operator/explain.ts'
import type { Command } from './command.ts'
import { findShown, notFound } from './findShown.ts'
import { printJson } from './printJson.ts'
import { positionals, readArgs } from './readArgs.ts'
import { oneLine } from './table.ts'

const OPTIONS = { scan: { type: 'boolean' }, request: { type: 'string' } } as const

export const explain: Command = {
  name: 'explain',
  summary:
    'everything known of one id, in words: what happened, what becomes of its copies, what to do',
  usage: `lineclear explain ID [--request UNIQUEREQUESTID] [--scan]

  ID          consumer/ID or flow/KEY; with --scan any id, such as a uniquerequestid
  --request   what the flow remembers of this request: why its messages were dropped
  --scan      reads the whole table (dynamodb:Scan); it costs as much as the table is large`,
  run: async (args, io) => {
    const { values, positionals: given } = readArgs(args, OPTIONS)
    const [id] = positionals(given, ['ID'])
    const scan = values.scan === true
    const found = await findShown(id, scan, io)
    const request = values.request ?? (scan ? id : undefined)
    const parts = found.flatMap((shown) => explainShown(shown, io.clock.now(), request))
    if (io.json) printJson(io, parts)
    else if (found.length === 0) io.err(notFound(id, scan, io))
    for (const { title, lines } of io.json ? [] : parts) {
      io.out(oneLine(title))
      for (const line of lines) io.out(`  ${oneLine(line)}`)
    }
    return found.length === 0 ? 4 : 0
  },
}
