import type { MadeEffect } from '../../consumer/undo.ts'
import { refuseResult } from '../../context/handlerResult.ts'
import { type OpenContext, withoutEffects } from '../../context/openContext.ts'
import { hasCode, TerminalError, ConfigError } from '../../base/errors.ts'
import { type Undoable, entryFor, inUndoOrder } from './namedOnly.ts'
import type { CallOptions, OutsideCall, RecordContext } from '../../context/context.ts'
import { isObject } from '../../base/kindOf.ts'

interface EffectsToUndo {
  readonly of: Undoable
  readonly opened: OpenContext
  readonly payload: unknown
  /** What is known of each, by its name. undefined: it certainly was not made. */
  readonly made: ReadonlyMap<string, (() => Promise<MadeEffect>) | undefined>
}

/** Undoes effects one after the other, in the reverse of their declaration, and waits for all that their handlers have begun. */
export async function undoEffects(given: EffectsToUndo): Promise<void> {
  const { of, made, opened } = given
  for (const name of inUndoOrder(of.undo, [...made.keys()])) await undoEffect(given, name)
  await opened.settled()
}

async function undoEffect(
  { of, opened, payload, made }: EffectsToUndo,
  name: string,
): Promise<void> {
  const describe = made.get(name)
  const entry = entryFor(of.undo, name)
  if (entry === undefined)
    // @protects an effect without a handler stops the undo
    // @without return
    throw noEntry(of, name)
  if (entry === 'keep' || describe === undefined) return
  const ctx = undoContext(opened, name)
  try {
    refuseResult(await entry(payload as never, ctx, await describe()))
  } catch (error) {
    // @protects a StaleError does not end an undo half-way
    // @without its else
    throw hasCode(error, 'STALE') ? mayNotEnd(of, name, error) : error
  }
}

function noEntry({ where }: Undoable, name: string): TerminalError {
  return new TerminalError(
    `undo of ${where}: it has made the effect '${name}', and the option undo no longer has that name. ` +
      `Nothing more was undone. Add it, deploy, and redrive this dead letter.`,
  )
}

/** It would end the record as done, with the other effects still in place. */
function mayNotEnd({ where }: Undoable, name: string, cause: unknown): TerminalError {
  return new TerminalError(
    `undo of ${where}: the handler of '${name}' threw StaleError, which cannot end an undo. Nothing more was undone. ` +
      'Return instead if there is nothing to undo, deploy, and redrive this dead letter.',
    { cause },
  )
}

/**
 * The context of an undo. Its names are kept apart by the effect that is undone, because one record undoes several. A newer request
 * may have written the same rows by now: what sets or removes anything needs a guard.
 */
function undoContext({ ctx, track }: OpenContext, effect: string): RecordContext {
  const refuse = <T>(error: ConfigError): Promise<T> =>
    track(async (): Promise<T> => {
      throw error
    })
  const write = (name: string, given: unknown): unknown => {
    const writes: readonly unknown[] = Array.isArray(given) ? given : [given]
    return writes.some(
      (write) =>
        // @protects an undo that sets attributes needs a guard
        // @without false
        !isAddition(write) && isUnguarded(write),
    )
      ? refuse(noGuard(effect))
      : ctx.write(inner(effect, name), given as never)
  }
  // Each member by its name: a new effect that came through `...ctx` would share the names of other effects.
  return Object.freeze({
    ...withoutEffects(ctx),
    fence: ctx.fence,
    send: ctx.send,
    publish: ctx.publish,
    write: write as typeof ctx.write,
    call: <T>(name: string, make: OutsideCall<T>, options?: CallOptions<T>) =>
      ctx.call(inner(effect, name), make, options),
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

function noGuard(effect: string): ConfigError {
  return new ConfigError(
    `ctx.write in the undo of '${effect}': a newer request may have written the item by now: expected a guard, such as ` +
      `equals('by', made.uniqueRequestId), or a write that only adds. Nothing was written.`,
  )
}
