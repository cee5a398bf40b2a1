// @acts

import { RetryableError } from '../../../base/errors.ts'
import type { UserItem } from '../../../protocol/store/store.ts'
import { type Guard, unchanged } from './guard.ts'
import type { ItemKey, Written } from './write.ts'

/** The part of a handler's context that `readChangeWrite` needs. */
export interface ReadsAndWrites {
  get(target: ItemKey): Promise<UserItem | undefined>
  write(
    name: string,
    write: ItemKey & { readonly set: UserItem; readonly guard: Guard },
  ): Promise<Written>
}

/** The item that `readChangeWrite` changes, and how. */
interface ReadChangeWriteTarget extends ItemKey {
  /** The attribute that counts the changes. Default `version`. */
  readonly version?: string
  /** How often it reads and writes before the record is retried later, because another writer was first. Default 5. */
  readonly tries?: number
}

/** Attributes to set; `undefined`: leave the item as it is. */
type ItemChange = (current: UserItem | undefined) => UserItem | undefined

/**
 * Reads an item consistently, calls `change` with it, and writes what that returns unless the item was changed in between;
 * then it reads again. Happens once per request and `name`, also when the handler runs again.
 * @param change the attributes to set; undefined: leave the item as it is. It may be called several times.
 * @throws RetryableError when another writer was first `tries` times.
 * @example
 * await readChangeWrite(ctx, 'points', { TableName: 'customers', Key: { id: 'c1' } }, (customer) => ({
 *   points: Number(customer?.['points'] ?? 0) + 10,
 * }))
 */
export async function readChangeWrite(
  ctx: ReadsAndWrites,
  name: string,
  target: ReadChangeWriteTarget,
  change: ItemChange,
): Promise<void> {
  const { TableName, Key, version = 'version', tries = 5 } = target
  for (let left = tries; left > 0; left--) {
    const current = await ctx.get({ TableName, Key })
    const set = change(current)
    if (set === undefined) return
    const seen = current?.[version]
    const next = typeof seen === 'number' ? seen + 1 : 1
    const guard = unchanged(version, seen)
    const written = await ctx.write(name, {
      TableName,
      Key,
      set: { ...set, [version]: next },
      guard,
    })
    if (written.applied) return
  }
  throw new RetryableError(
    `readChangeWrite('${name}'): another writer of ${TableName} was first ${tries} times; the record is tried again later`,
  )
}
