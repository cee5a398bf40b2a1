/**
 * A number in [0, 1) that depends on its arguments only: each position gets the same decision on every run, in any order.
 */
export function randomAt(seed: number, purpose: string, ...place: readonly number[]): number {
  return mix(`${seed}|${purpose}|${place.join('|')}`) / 2 ** 32
}

/** A Fisher-Yates shuffle of a copy. */
export function shuffled<T>(items: readonly T[], seed: number, round: number): readonly T[] {
  const result: T[] = []
  for (const [index, item] of items.entries()) {
    const other = Math.floor(randomAt(seed, 'shuffle', round, index) * (index + 1))
    const moved = result[other]
    if (moved !== undefined) result.push(moved)
    result[other] = item
  }
  return result
}

/** FNV-1a over the text, then the finalizer of MurmurHash3, because FNV alone gives similar texts similar hashes. */
function mix(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
