/** A piece of a text: as it is, or the mark of a character that must not act. */
interface Piece {
  readonly text: string
  /** What the character is; undefined: a piece as it is. */
  readonly mark?: string
}

/**
 * Characters that a page would hide, or that change how others are shown: controls, formats (marks of direction among them),
 * halves of surrogate pairs, separators of lines, and what renderers are told to ignore (UAX 44).
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

const NAMES: ReadonlyMap<string, string> = new Map([
  ['\0', 'NUL'],
  ['\b', 'BS'],
  ['\t', 'TAB'],
  ['\n', 'LF'],
  ['\r', 'CR'],
  ['\u001b', 'ESC'],
  ['\u007f', 'DEL'],
  ['\u200b', 'ZWSP'],
  ['\u200c', 'ZWNJ'],
  ['\u200d', 'ZWJ'],
  ['\u200e', 'LRM'],
  ['\u200f', 'RLM'],
  ['\u202a', 'LRE'],
  ['\u202b', 'RLE'],
  ['\u202c', 'PDF'],
  ['\u202d', 'LRO'],
  ['\u202e', 'RLO'],
  ['\u2066', 'LRI'],
  ['\u2067', 'RLI'],
  ['\u2068', 'FSI'],
  ['\u2069', 'PDI'],
  ['\ufeff', 'BOM'],
])

/**
 * @param lines whether lines and tabs are shown as such, as in a stack or a payload
 */
export function piecesOf(text: string, { lines = false } = {}): readonly Piece[] {
  const pieces: Piece[] = []
  let from = 0
  for (const { 0: found, index } of text.matchAll(HIDDEN)) {
    if (lines && (found === '\n' || found === '\t')) continue
    if (index > from) pieces.push({ text: text.slice(from, index) })
    pieces.push({ text: markOf(found), mark: codeOf(found) })
    from = index + found.length
  }
  if (from < text.length) pieces.push({ text: text.slice(from) })
  return pieces
}

function markOf(character: string): string {
  return NAMES.get(character) ?? codeOf(character)
}

function codeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}

/** The same as one plain text, for titles and labels. */
export function plainText(text: string): string {
  return piecesOf(text)
    .map(({ text: each, mark }) => (mark === undefined ? each : `⟨${each}⟩`))
    .join('')
}
