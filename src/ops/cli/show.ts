import { itemKey } from '../address.ts'
import { formatValue } from '../operator/text/formatValue.ts'
import type { CliCommand, Io } from './command.ts'
import { resolveId, notFound } from './resolveId.ts'
import { printJson } from './printJson.ts'
import { positionals, readArgs } from './readArgs.ts'
import { oneLine } from './table.ts'

export const show: CliCommand = {
  name: 'show',
  summary: 'show the items of one id as they are in the table',
  usage: `lineclear show ID [--scan]

  ID       consumer/ID or flow/KEY; with --scan any id, such as a uniquerequestid
  --scan   read the whole table (dynamodb:Scan); the cost grows with the table`,
  run: async (args, io) => {
    const { values, positionals: given } = readArgs(args, { scan: { type: 'boolean' } })
    const [id] = positionals(given, ['ID'])
    const found = await resolveId(id, values.scan === true, io)
    if (io.json) printJson(io, { items: found.flatMap(({ items }) => items) })
    else if (found.length === 0)
      io.err(notFound(id, values.scan === true ? 'whole table' : 'by key', io))
    else for (const { items } of found) for (const item of items) print(item, io)
    return found.length === 0 ? 4 : 0
  },
}

function print(item: Parameters<typeof itemKey>[0], io: Io): void {
  const { pk, sk } = itemKey(item)
  io.out(oneLine(`${pk}  ${sk}`))
  for (const [name, value] of Object.entries(item)) {
    if (name === 'pk' || name === 'sk') continue
    io.out(`  ${oneLine(name)}: ${oneLine(formatValue(value))}`)
  }
}
