import { itemKey } from '../../library/entries/sweeper/address.ts'
import type { SentKey } from './sentKey.ts'
import { formatValue } from '../operator/text/humanTime.ts'
import type { ExitCode, Io } from './command.ts'
import { resolveId, notFound, keyNotFound, resolveKey, type Scan } from './resolveId.ts'
import { printJson, oneLine } from './table.ts'

export async function showItems(sent: SentKey | string, how: Scan, io: Io): Promise<ExitCode> {
  const isId = typeof sent === 'string'
  const { found, stopped } = await (isId ? resolveId(sent, how, io) : resolveKey(sent, how, io))
  if (io.json) {
    printJson(io, { items: found.flatMap(({ items }) => items), stopped })
  } else {
    for (const { items } of found) for (const item of items) print(item, io)
    if (stopped !== undefined) io.err(stopped)
    else if (found.length === 0) io.err(oneLine(missingText(sent, how, io)))
  }
  if (stopped !== undefined) return 1
  return found.length === 0 ? 4 : 0
}

function missingText(sent: SentKey | string, { scan }: Scan, io: Io): string {
  if (typeof sent !== 'string') return keyNotFound(sent, scan, io)
  return notFound(sent, scan ? 'whole table' : 'by key', io)
}

function print(item: Parameters<typeof itemKey>[0], io: Io): void {
  const { pk, sk } = itemKey(item)
  io.out(oneLine(`${pk}  ${sk}`))
  for (const [name, value] of Object.entries(item)) {
    if (name === 'pk' || name === 'sk') continue
    io.out(`  ${oneLine(name)}: ${oneLine(formatValue(value))}`)
  }
}
