/** @returns the row that a key moves to; undefined: the key moves nowhere */
export function moved(key: string, from: number, count: number): number | undefined {
  const to = new Map([
    ['ArrowDown', from + 1],
    ['j', from + 1],
    ['ArrowUp', from - 1],
    ['k', from - 1],
    ['Home', 0],
    ['End', count - 1],
  ]).get(key)
  return to === undefined || count === 0 ? undefined : Math.min(Math.max(0, to), count - 1)
}
