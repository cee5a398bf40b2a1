import type { AnyUndo, UndoHandler } from '../../consumer/undo.ts'

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
