/** Makes a value when it is first needed. Most handlers use few of the calls on `ctx`, and each record has a `ctx` of its own. */
export function onFirstUse<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}
