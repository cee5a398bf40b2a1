import { itemKey } from '../../sweeper/address.ts'
import { formatValue } from '../operator/text/humanTime.ts'
import { id } from '../commands/kinds.ts'
import { type Command, command, type Io } from './command.ts'
import type { SentKey } from '../../call/readKey.ts'
import type { StoredRequest } from '../operator/explain/readRequest.ts'
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
    const { found, missing } =
      typeof sent === 'string' ? await byId(sent, scan, io) : await byKey(sent, scan, io)
    if (io.json) printJson(io, { items: found.flatMap(({ items }) => items) })
    else if (found.length === 0) io.err(oneLine(missing))
    else for (const { items } of found) for (const item of items) print(item, io)
    return found.length === 0 ? 4 : 0
  },
})

interface Shown {
  readonly found: readonly StoredRequest[]
  readonly missing: string
}

async function byId(id: string, scan: boolean, io: Io): Promise<Shown> {
  const found = await resolveId(id, scan, io)
  return { found, missing: notFound(id, scan ? 'whole table' : 'by key', io) }
}

async function byKey(sent: SentKey, scan: boolean, io: Io): Promise<Shown> {
  return { found: await resolveKey(sent, scan, io), missing: keyNotFound(sent, scan, io) }
}

function print(item: Parameters<typeof itemKey>[0], io: Io): void {
  const { pk, sk } = itemKey(item)
  io.out(oneLine(`${pk}  ${sk}`))
  for (const [name, value] of Object.entries(item)) {
    if (name === 'pk' || name === 'sk') continue
    io.out(`  ${oneLine(name)}: ${oneLine(formatValue(value))}`)
  }
}
