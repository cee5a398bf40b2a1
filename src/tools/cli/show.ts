import { itemKey } from '../../sweeper/address.ts'
import { formatValue } from '../operator/text/formatValue.ts'
import type { CliCommand, Io } from './command.ts'
import type { SentKey } from '../../call/readKey.ts'
import type { StoredRequest } from '../operator/explain/readRequest.ts'
import { resolveId, notFound } from './resolveId.ts'
import { KEY_OPTIONS, KEY_USAGE, keyNotFound, readSentKey, resolveKey } from './resolveKey.ts'
import { printJson } from './printJson.ts'
import { positionals, readArgs } from './readArgs.ts'
import { oneLine } from './table.ts'

export const show: CliCommand = {
  name: 'show',
  summary: 'show the items of one id as they are in the table',
  usage: `lineclear show ID [--scan]
lineclear show --scope SCOPE --key KEY… [--tenant TENANT… | --scan]

  ID       consumer/ID or flow/KEY; with --scan any id, such as a uniquerequestid
  --scan   read the whole table (dynamodb:Scan); the cost grows with the table

${KEY_USAGE}`,
  run: async (args, io) => {
    const { values, positionals: given } = readArgs(args, OPTIONS)
    const { scan = false } = values
    const sent = readSentKey(values)
    const { found, missing } =
      sent === undefined
        ? await byId(positionals(given, ['ID'])[0], scan, io)
        : await byKey(sent, scan, given, io)
    if (io.json) printJson(io, { items: found.flatMap(({ items }) => items) })
    else if (found.length === 0) io.err(oneLine(missing))
    else for (const { items } of found) for (const item of items) print(item, io)
    return found.length === 0 ? 4 : 0
  },
}

const OPTIONS = { scan: { type: 'boolean' }, ...KEY_OPTIONS } as const

interface Shown {
  readonly found: readonly StoredRequest[]
  /** What to say if nothing was found. */
  readonly missing: string
}

async function byId(id: string, scan: boolean, io: Io): Promise<Shown> {
  const found = await resolveId(id, scan, io)
  return { found, missing: notFound(id, scan ? 'whole table' : 'by key', io) }
}

async function byKey(
  sent: SentKey,
  scan: boolean,
  given: readonly string[],
  io: Io,
): Promise<Shown> {
  positionals(given, [])
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
