import { itemKey } from '../../sweeper/address.ts'
import { formatValue } from '../operator/text/humanTime.ts'
import { id } from '../commands/kinds.ts'
import { type Command, command, type Io } from './command.ts'
import {
  resolveId,
  notFound,
  SCAN,
  KEY_OPTIONS,
  keyNotFound,
  readSentKey,
  resolveKey,
} from './resolveId.ts'
import { printJson, oneLine } from './table.ts'

export const show: Command = command({
  words: 'show',
  summary: 'the items of one id as they are in the table',
  arguments: {
    id: {
      kind: id,
      help: 'consumer/ID or flow/KEY; with --scan any id, such as a uniquerequestid',
      optional: true,
    },
  },
  options: { scan: SCAN, ...KEY_OPTIONS },
  examples: ['show orders/order-17', 'show --scope refunds --key order-5'],
  run: async ({ id: of, scan, ...key }, io) => {
    const sent = readSentKey(key, of)
    const isId = typeof sent === 'string'
    const found = await (isId ? resolveId(sent, scan, io) : resolveKey(sent, scan, io))
    if (io.json) printJson(io, { items: found.flatMap(({ items }) => items) })
    else if (found.length === 0) {
      const where = scan ? 'whole table' : 'by key'
      io.err(oneLine(isId ? notFound(sent, where, io) : keyNotFound(sent, scan, io)))
    } else for (const { items } of found) for (const item of items) print(item, io)
    return found.length === 0 ? 4 : 0
  },
})

function print(item: Parameters<typeof itemKey>[0], io: Io): void {
  const { pk, sk } = itemKey(item)
  io.out(oneLine(`${pk}  ${sk}`))
  for (const [name, value] of Object.entries(item)) {
    if (name === 'pk' || name === 'sk') continue
    io.out(`  ${oneLine(name)}: ${oneLine(formatValue(value))}`)
  }
}
