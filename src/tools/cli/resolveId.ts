import { scanForRequest, type StoredRequest, readRequest } from '../operator/explain/readRequest.ts'
import { optionWord } from '../operator/text/commandLine.ts'
import { type Flag, flag } from '../commands/kinds.ts'
import type { Io } from './command.ts'
import { UsageError } from './usageError.ts'

export const SCAN: { readonly kind: Flag; readonly help: string; readonly page: true } = {
  kind: flag,
  help: 'read the whole table (dynamodb:Scan); the cost grows with the table',
  page: true,
}

/** Finds an id by its key. A bare id can only be found by reading the whole table, whose cost grows with the table. */
export async function resolveId(
  id: string,
  scan: boolean,
  io: Io,
): Promise<readonly StoredRequest[]> {
  if (!scan) {
    if (!id.includes('/')) {
      throw new UsageError(
        `ID: expected consumer/ID or flow/KEY, got ${JSON.stringify(id)}. To find a bare id, give --log FILE, or --scan, which reads the whole table`,
      )
    }
    return readRequest(io.reader(), id)
  }
  const reader = io.reader()
  const progress = io.progress('scanned')
  const count = await reader.count().catch(() => undefined)
  const found = await scanForRequest(reader, id, (read) => progress.at(read, count))
  progress.end()
  return found
}

/** Where an id was searched for without success. */
type SearchPlace = 'by key' | 'whole table' | 'in the log'

export function notFound(id: string, sought: SearchPlace, io: Io): string {
  return `Not found: ${id} in the table ${io.table}. ${[NEXT_STEP[sought], ...elsewhere(id)].join('. ')}.`
}

/** Where an id may be that the table does not have under this name. */
function elsewhere(id: string): readonly string[] {
  const slash = id.indexOf('/')
  const rest = id.slice(slash + 1)
  if (rest === '') return []
  const key =
    slash > 0
      ? `lineclear explain ${optionWord('--scope', id.slice(0, slash))} ${optionWord('--key', rest)}`
      : `lineclear explain --scope SCOPE ${optionWord('--key', rest)}`
  return [
    `An Idempotency-Key is stored as a hash, often for each caller: ${key}, with --tenant or --scan`,
    `A message that was refused (rejected) is on its dead-letter queue only: lineclear dlq peek ${optionWord('--id', rest)}`,
  ]
}

const NEXT_STEP: Readonly<Record<SearchPlace, string>> = {
  'by key': 'Ids are consumer/ID or flow/KEY, as lineclear ls shows them; --scan finds a bare id',
  'whole table':
    'The whole table was read: no item has the id. It was never recorded, its retention has ended, or it has another name',
  'in the log':
    'Only the consumers and flows that the log names with this id were looked up; --scan reads the whole table',
}
