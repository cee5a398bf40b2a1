import type { Fencing } from '../../claim/hold.ts'
import { stableId } from '../../base/ids.ts'

/** The columns that identify an effect. */
interface MarkKey {
  readonly subject: string
  readonly request: string
  readonly stage: string
  readonly name: string
}

export function markKey({ subject, request, stage }: Fencing, name: string): MarkKey {
  return {
    subject: column(subject),
    request: column(request),
    stage: column(stage),
    name: column(name),
  }
}

/** Bytes. Four columns of an index entry have to stay below 2,704 bytes. */
const LONGEST = 600

/** PostgreSQL stores neither the character 0 nor half of a surrogate pair. */
function column(text: string): string {
  const fits = Buffer.byteLength(text) <= LONGEST && !text.includes('\0') && text.isWellFormed()
  return fits ? text : `hash:${stableId(text)}`
}
