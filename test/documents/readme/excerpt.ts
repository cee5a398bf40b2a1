/** A line of a block that stands for lines that were left out. */
const GAP = /^\s*(?:\/\/|#) …$/

/** What keeps `block` from being `source`, or lines of it in their order; undefined when nothing does. */
export function differenceFrom(source: string, block: string): string | undefined {
  const lines = source.trimEnd().split('\n')
  let from = 0
  for (const piece of piecesOf(block)) {
    const at = indexOfPiece(lines, piece, from)
    if (at === undefined) return firstStranger(lines, piece)
    from = at + piece.length
  }
  return undefined
}

function piecesOf(block: string): string[][] {
  const pieces: string[][] = [[]]
  for (const line of block.split('\n')) {
    if (GAP.test(line)) pieces.push([])
    else pieces.at(-1)?.push(line)
  }
  return pieces.map(trimmed).filter((piece) => piece.length > 0)
}

function indexOfPiece(
  lines: readonly string[],
  piece: readonly string[],
  from: number,
): number | undefined {
  const wanted = withoutMargin(piece)
  for (let at = from; at + piece.length <= lines.length; at++) {
    if (withoutMargin(lines.slice(at, at + piece.length)) === wanted) return at
  }
  return undefined
}

/** For the message: the first line that the source has nowhere, else the piece, which stands in another order. */
function firstStranger(lines: readonly string[], piece: readonly string[]): string {
  const known = new Set(lines.map((line) => line.trim()))
  return piece.find((line) => !known.has(line.trim())) ?? piece.join('\n')
}

/** An excerpt from inside a function may stand at the left margin. */
function withoutMargin(lines: readonly string[]): string {
  const used = lines.filter((line) => line.trim() !== '')
  const margin = Math.min(...used.map((line) => line.length - line.trimStart().length))
  return lines.map((line) => line.slice(margin)).join('\n')
}

function trimmed(lines: readonly string[]): string[] {
  const first = lines.findIndex((line) => line.trim() !== '')
  const last = lines.findLastIndex((line) => line.trim() !== '')
  return first === -1 ? [] : lines.slice(first, last + 1)
}
