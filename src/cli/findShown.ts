import { findRequest, type Shown, showRequest } from '../operator/showRequest.ts'
import type { Io } from './command.ts'
import { UsageError } from './usageError.ts'

/** By its key; a bare id only by reading the whole table, which costs as much as the table is large. */
export async function findShown(id: string, scan: boolean, io: Io): Promise<readonly Shown[]> {
  if (!scan) {
    if (!id.includes('/')) {
      throw new UsageError(
        `ID: expected consumer/ID or flow/KEY, got ${JSON.stringify(id)}. A bare id is found by --scan, which reads the whole table`,
      )
    }
    return showRequest(io.reader(), id)
  }
  const reader = io.reader()
  const progress = io.progress('scanned')
  const count = await reader.count().catch(() => undefined)
  const found = await findRequest(reader, id, (read) => progress.at(read, count))
  progress.end()
  return found
}

export function notFound(id: string, scan: boolean, io: Io): string {
  const next = scan
    ? 'The whole table was read: it never came here, or its retention is over'
    : 'Ids are consumer/ID or flow/KEY as in lineclear ls; --scan finds a bare id'
  return `Not found: ${id} in the table ${io.table}. ${next}.`
}
