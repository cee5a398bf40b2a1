import { decodeTime } from 'ulid'

const LENGTH = 26

/** When an id that begins with one of `sortableId` was made, epoch milliseconds; undefined: it is another kind of id. */
export function sortableTime(id: string): number | undefined {
  try {
    return decodeTime(id.slice(0, LENGTH))
  } catch {
    return undefined
  }
}
