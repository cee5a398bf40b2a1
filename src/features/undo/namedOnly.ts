import { type OpenContext, withoutEffects } from '../../context/openContext.ts'
import type { Stored } from '../../context/context.ts'
import { ConfigError } from '../../base/errors.ts'
import type { AnyUndo, RecordsToUndo, UndoHandler } from '../../consumer/undo.ts'

/** What has the option `undo`. */
export interface Undoable {
  /** For errors: `stage 'pay' of flow 'orders'`. */
  readonly where: string
  readonly undo: AnyUndo
  /** Why an effect with an entry may not be made here. Default: it may. */
  readonly refuses?: (call: string, name: string) => ConfigError | undefined
}

export function consumerOf({ consumer, undo }: RecordsToUndo): Undoable {
  return { where: `consumer '${consumer.name}'`, undo }
}

/** The context where effects can be undone: every effect has a name, and every name an entry in `undo`. */
export function namedOnly(of: Undoable, { ctx, track }: OpenContext): OpenContext['ctx'] {
  /** A failed check fails the record, even if the handler does not await the call. */
  const refuse = <T>(error: ConfigError): Promise<T> =>
    track(async (): Promise<T> => {
      throw error
    })
  const calls = new Map<string, string>()
  const wrongName = (call: string, name: unknown): ConfigError | undefined => {
    if (typeof name !== 'string') return undefined
    if (entryFor(of.undo, name) === undefined) return unknownName(of, call, name)
    const refusal = of.refuses?.(call, name)
    if (refusal !== undefined) return refusal
    if (call === 'sql' && !isColumn(name)) return unstorable(of, name)
    const other = calls.get(name) ?? call
    calls.set(name, other)
    return other === call ? undefined : sharedName(of, call, name, other)
  }
  const checked =
    <Args extends readonly [name: string, ...rest: never[]], T>(
      call: string,
      make: (...args: Args) => Promise<T>,
    ) =>
    (...args: Args): Promise<T> => {
      const wrong = wrongName(call, args[0])
      return wrong === undefined ? make(...args) : refuse(wrong)
    }
  const sql = <T>(name: string, work: (tx: unknown) => T | Promise<T>): Promise<Stored<T>> =>
    checked('sql', (given: string) => ctx.sql(given, work))(name)
  // Each member by its name: a new effect that came through `...ctx` would have no undo, without an error.
  return Object.freeze({
    ...withoutEffects(ctx),
    fence: ctx.fence,
    send: ctx.send,
    publish: ctx.publish,
    write: checked('write', ctx.write),
    call: checked('call', ctx.call),
    sql,
  })
}

/** Bytes. A longer name is stored as its hash, under which no handler could be found. */
const LONGEST = 255

function isColumn(name: string): boolean {
  return Buffer.byteLength(name) <= LONGEST && !name.includes('\0')
}

function unstorable({ where }: Undoable, name: string): ConfigError {
  return new ConfigError(
    `ctx.sql in ${where}: name: expected at most ${LONGEST} bytes without the character 0, because of the option undo; ` +
      `got ${Buffer.byteLength(name)} bytes. Nothing was done.`,
  )
}

function sharedName({ where }: Undoable, call: string, name: string, other: string): ConfigError {
  return new ConfigError(
    `ctx.${call}('${name}') in ${where}: ctx.${other} has this name, and one handler of undo cannot tell the two effects apart. ` +
      'Nothing was done. Use another name.',
  )
}

function unknownName({ where, undo }: Undoable, call: string, name: string): ConfigError {
  const names = Object.keys(undo.handlers).join(', ') || 'none'
  return new ConfigError(
    `ctx.${call}('${name}') in ${where}: expected a name of the option undo (${names}). Nothing was done. ` +
      `Add it, as a handler or as 'keep'.`,
  )
}

/** The entry for an effect: under its own name, or under a pattern such as `line:*`, the longest first. */
export function entryFor(undo: AnyUndo, name: string): UndoHandler<never> | 'keep' | undefined {
  const key = keyFor(undo, name)
  return key === undefined ? undefined : (undo.handlers[key] as ReturnType<typeof entryFor>)
}

export function isUndone(undo: AnyUndo, name: string): boolean {
  return typeof entryFor(undo, name) === 'function'
}

/** The names in the order in which their effects are undone: the reverse of the declaration. */
export function inUndoOrder(undo: AnyUndo, names: readonly string[]): readonly string[] {
  const keys = Object.keys(undo.handlers)
  const place = (name: string): number => keys.indexOf(keyFor(undo, name) ?? '')
  return names.toSorted((one, other) => place(other) - place(one) || (one < other ? 1 : -1))
}

function keyFor({ handlers }: AnyUndo, name: string): string | undefined {
  if (Object.hasOwn(handlers, name)) return name
  const patterns = Object.keys(handlers).filter(
    (key) => key.endsWith('*') && name.startsWith(key.slice(0, -1)),
  )
  return patterns.toSorted((one, other) => other.length - one.length)[0]
}
