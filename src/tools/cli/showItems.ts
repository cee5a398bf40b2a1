import { itemKey } from '../../library/entries/sweeper/address.ts'
import type { SentKey } from './sentKey.ts'
import { formatValue } from '../operator/text/humanTime.ts'
import type { ExitCode, Io } from './command.ts'
import { resolveId, notFound, keyNotFound, resolveKey } from './resolveId.ts'
import { printJson, oneLine } from './table.ts'

export async function showItems(sent: SentKey | string, scan: boolean, io: Io): Promise<ExitCode> {
  const isId = typeof sent === 'string'
  const found = await (isId ? resolveId(sent, scan, io) : resolveKey(sent, scan, io))
  if (io.json) printJson(io, { items: found.flatMap(({ items }) => items) })
  else if (found.length === 0) {
    const where = scan ? 'whole table' : 'by key'
    io.err(oneLine(isId ? notFound(sent, where, io) : keyNotFound(sent, scan, io)))
  } else for (const { items } of found) for (const item of items) print(item, io)
  return found.length === 0 ? 4 : 0
}

function print(item: Parameters<typeof itemKey>[0], io: Io): void {
  const { pk, sk } = itemKey(item)
  io.out(oneLine(`${pk}  ${sk}`))
  for (const [name, value] of Object.entries(item)) {
    if (name === 'pk' || name === 'sk') continue
    io.out(`  ${oneLine(name)}: ${oneLine(formatValue(value))}`)
  }
}
