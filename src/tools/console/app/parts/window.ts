/** More rows are never drawn at once, whatever the height of the window. */
export const MOST_ROWS = 60
/** Drawn beyond each edge, so that a short scroll shows no gap. */
const BEYOND = 8

/** Rows that are drawn: from `first` up to, and without, `end`. */
interface Drawn {
  readonly first: number
  readonly end: number
}

/**
 * @param top how far the list is scrolled, pixels
 * @param height of the part that can be seen, pixels
 * @param row height of one row, pixels
 */
export function drawnRows(
  count: number,
  { top, height, row }: { readonly top: number; readonly height: number; readonly row: number },
): Drawn {
  if (count <= MOST_ROWS) return { first: 0, end: count }
  const seen = Math.ceil(height / row) + 1
  const beyond = Math.max(0, Math.min(BEYOND, Math.floor((MOST_ROWS - seen) / 2)))
  const at = Math.min(Math.max(0, Math.floor(top / row)), Math.max(0, count - seen))
  const first = Math.max(0, at - beyond)
  return { first, end: Math.min(count, first + Math.min(MOST_ROWS, seen + 2 * beyond)) }
}

/** @returns the row that a key moves to; undefined: the key moves nowhere */
export function moved(
  key: string,
  from: number,
  { count, page }: { readonly count: number; readonly page: number },
): number | undefined {
  const to = target(key, from, count, page)
  return to === undefined || count === 0 ? undefined : Math.min(Math.max(0, to), count - 1)
}

function target(key: string, from: number, count: number, page: number): number | undefined {
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return from + 1
    case 'ArrowUp':
    case 'k':
      return from - 1
    case 'PageDown':
      return from + page
    case 'PageUp':
      return from - page
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return undefined
  }
}
