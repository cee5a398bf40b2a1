import { checkWrites } from '../../context/guard/checkWrite.ts'
import type { EffectScope } from '../../context/effectScope.ts'
import { writeOnce } from '../../context/writes.ts'
import { StaleError } from '../../base/errors.ts'

/** Names the writes in the token of a request that was claimed before they were made. */
const MARK = 'returned'

/**
 * Makes what a handler has returned, once.
 * @throws ConfigError when it is not a write; StaleError when a guard does not hold: nothing is written then, now or later
 */
export async function makeWrites(given: unknown, scope: EffectScope, now: number): Promise<void> {
  const writes = checkWrites('the handler of writeHandler returned', given)
  const written = await writeOnce(scope, MARK, writes, now)
  if (written.applied) return
  const { index, table, reason } = written
  throw new StaleError(
    `the guard of write ${index} on table ${JSON.stringify(table)} does not hold (${reason}); nothing was written`,
  )
}
