import type { SqlAttempt, SqlEffects } from '../../../src/library/run/context/sqlEffects.ts'
import type { PostgresTransaction } from 'lineclear/postgres'

export const DAY = 86_400_000
const MINUTE = 60_000

/** An attempt at one request, without the claim in the store. */
export function attempt(
  fence: number,
  more: Partial<SqlAttempt['fencing'] & Pick<SqlAttempt, 'retention'> & { left: number }> = {},
): SqlAttempt {
  const { retention = 30 * DAY, left = MINUTE, ...fencing } = more
  const until = Date.now() + left
  return {
    fencing: {
      subject: 'lock#a/1',
      request: '',
      epoch: 0,
      stage: '',
      fence,
      isSurelyFirst: fence === 1,
      ...fencing,
    },
    retention,
    timeLeft: () => until - Date.now(),
  }
}

/** `ctx.sql` of an attempt. */
export function sqlOf<Tx>(effects: SqlEffects<Tx>, by: SqlAttempt) {
  return effects.open({ ...by, assertOpen: () => {} })
}

export async function book(tx: PostgresTransaction, by: string, id = 'a'): Promise<string> {
  await tx.query('INSERT INTO bookings (id, by) VALUES ($1, $2)', [id, by])
  return by
}
