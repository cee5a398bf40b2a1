/** Colours for a terminal. Each has a word beside it: colour alone says nothing to many readers. */
export interface Style {
  bad(text: string): string
  warn(text: string): string
  good(text: string): string
  dim(text: string): string
  bold(text: string): string
}

const PLAIN: Style = { bad: same, warn: same, good: same, dim: same, bold: same }

/**
 * Colours only on a terminal, and not if the environment has NO_COLOR (https://no-color.org) or a TERM without any.
 */
export function styleFor(
  isTerminal: boolean,
  env: Readonly<Record<string, string | undefined>>,
): Style {
  const none = env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== ''
  return !isTerminal || none || env['TERM'] === 'dumb' ? PLAIN : COLOURED
}

const COLOURED: Style = {
  bad: sgr(31, 39),
  warn: sgr(33, 39),
  good: sgr(32, 39),
  dim: sgr(2, 22),
  bold: sgr(1, 22),
}

/** Select Graphic Rendition, ECMA-48 8.3.117. */
function sgr(on: number, off: number): (text: string) => string {
  return (text) => (text === '' ? '' : `\u001B[${on}m${text}\u001B[${off}m`)
}

function same(text: string): string {
  return text
}

/** Colours the status in a line of a table; the rest stays as it is. */
export function styled(
  style: Style,
  severity: 'bad' | 'warn' | 'good',
  status: string,
  line: string,
): string {
  return line.startsWith(status) ? style[severity](status) + line.slice(status.length) : line
}
