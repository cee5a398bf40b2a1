/** A Map, or a Set: that has each value as its own key. */
interface Kept<Key, Value> {
  readonly size: number
  entries(): Iterable<[Key, Value]>
  delete(key: Key): boolean
}

/**
 * Takes out what was put in first, until `most` are left.
 * @param forgotten is called for each that was taken out
 */
export function forgetOldest<Key, Value>(
  from: Kept<Key, Value>,
  most: number,
  forgotten: (key: Key, value: Value) => void = () => {},
): void {
  let excess = from.size - most
  if (excess <= 0) return
  for (const [key, value] of from.entries()) {
    from.delete(key)
    forgotten(key, value)
    excess -= 1
    if (excess === 0) return
  }
}
