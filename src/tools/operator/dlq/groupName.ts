import { stableId } from '../../../base/ids.ts'

/**
 * The same in every run, for dead letters and for their requests in the table. Hexadecimal, so that it never begins with a dash on a
 * command line.
 * @param shape of the error, without ids and numbers
 */
export function groupName(origin: string, reason: string, shape: string): string {
  return Buffer.from(stableId('dead letters', origin, reason, shape), 'base64url')
    .toString('hex')
    .slice(0, 8)
}
