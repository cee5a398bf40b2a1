import { RetryableError } from '../../errors.ts'
import type { UserItem } from '../../store/store.ts'
import { unchanged } from './guard.ts'
import type { ItemKey, UpdateWrite, Written } from './write.ts'

/** The part of `ctx` that is needed. */
export interface ReadsAndWrites {
  get(target: ItemKey): Promise<UserItem | undefined>
  applyOnce(name: string, write: UpdateWrite): Promise<Written>
}

export interface ReadChangeWriteTarget extends ItemKey {
  /** The attribute that counts the changes. Default `version`. */
  readonly version?: string
  /** How often a rival may be first before the record is retried later. Default 5. */
  readonly tries?: number
}

/** Attributes to set; `undefined`: leave the item as it is. */
type ItemChange = (current: UserItem | undefined) => UserItem | undefined

/**
 * Reads an item consistently, asks `change` what to set, and writes if nobody wrote in between; else reads again. Happens
 * once per request and `name`, also when the handler runs again. Throws RetryableError when rivals were first `tries`
 * times.
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
    const written = await ctx.applyOnce(name, {
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
