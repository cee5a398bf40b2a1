import type { OnceOptions, OutsideCall, RecordContext } from '../../context/context.ts'
import type { OpenContext } from '../../context/openContext.ts'
import { ConfigError } from '../../base/errors.ts'
import { isObject } from '../../base/kindOf.ts'

/**
 * The context of an undo. Its names are kept apart by the effect that is undone, because one record undoes several. A newer request
 * may have written the same rows by now: what sets or removes anything needs a guard.
 */
export function undoContext({ ctx, track }: OpenContext, effect: string): RecordContext {
  const refuse = <T>(error: ConfigError): Promise<T> =>
    track(async (): Promise<T> => {
      throw error
    })
  const guarded =
    <W, T>(call: string, write: (given: W) => Promise<T>) =>
    (given: W): Promise<T> =>
      isUnguarded(given) ? refuse(noGuard(call, effect)) : write(given)
  const applyOnce = (name: string, given: unknown): unknown => {
    const writes: readonly unknown[] = Array.isArray(given) ? given : [given]
    return writes.some((write) => !isAddition(write) && isUnguarded(write))
      ? refuse(noGuard('applyOnce', effect))
      : ctx.applyOnce(inner(effect, name), given as never)
  }
  return Object.freeze({
    ...ctx,
    put: guarded('put', ctx.put),
    update: guarded('update', ctx.update),
    delete: guarded('delete', ctx.delete),
    applyOnce: applyOnce as typeof ctx.applyOnce,
    once: <T>(name: string, call: OutsideCall<T>, options?: OnceOptions<T>) =>
      ctx.once(inner(effect, name), call, options),
    sql: <T>(name: string, work: (tx: unknown) => T | Promise<T>) =>
      ctx.sql(inner(effect, name), work),
    idempotencyKey: (name: string, options?: { readonly maxLength?: number }) =>
      ctx.idempotencyKey(inner(effect, name), options),
  })
}

function inner(effect: string, name: string): string {
  return typeof name === 'string' && name !== '' ? `${effect}/${name}` : name
}

/** Only `add` commutes with the writes of a newer request. */
function isAddition(write: unknown): boolean {
  return (
    isObject(write) &&
    write['add'] !== undefined &&
    write['set'] === undefined &&
    write['remove'] === undefined
  )
}

/** What is no write is refused by the call itself, with a better text. */
function isUnguarded(write: unknown): boolean {
  if (!isObject(write) || write['guard'] !== undefined) return false
  return !('check' in write) && !('raw' in write)
}

function noGuard(call: string, effect: string): ConfigError {
  return new ConfigError(
    `ctx.${call} in the undo of '${effect}': a newer request may have written the item by now: expected a guard, such as ` +
      `equals('by', made.uniqueRequestId), or a write that only adds. Nothing was written.`,
  )
}
