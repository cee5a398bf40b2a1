export interface Progress {
  at(done: number, of?: number): void
  end(): void
}

/** A progress bar on one line. Writes nothing if the stream is not a terminal. */
export function progressOn(stream: ProgressStream, what: string): Progress {
  if (stream.isTTY !== true) return { at() {}, end() {} }
  let shown = ''
  return {
    at(done, of) {
      if (of === undefined && done % SELDOM !== 0) return
      const line = `${what} ${barOf(done, of)}`
      if (line === shown) return
      shown = line
      stream.write(`\r${line}\u001b[K`)
    },
    end() {
      if (shown !== '') stream.write('\r\u001b[K')
    },
  }
}

/** Ends the progress line even if the work fails. */
export async function withProgress<T>(
  io: { progress(what: string): Progress },
  what: string,
  work: (progress: Progress) => Promise<T>,
): Promise<T> {
  const progress = io.progress(what)
  try {
    return await work(progress)
  } finally {
    progress.end()
  }
}

/** One bar for tasks that run at the same time: it shows their sum. @returns the part of one more task */
export function progressParts(progress: Progress): () => Pick<Progress, 'at'> {
  const parts: { done: number; of: number }[] = []
  const sum = (of: 'done' | 'of'): number => parts.reduce((all, part) => all + part[of], 0)
  return () => {
    const part = { done: 0, of: 0 }
    parts.push(part)
    return {
      at(done, of = 0) {
        Object.assign(part, { done, of })
        progress.at(sum('done'), sum('of'))
      },
    }
  }
}

export interface ProgressStream {
  readonly isTTY?: boolean | undefined
  write(text: string): unknown
}

const WIDTH = 24
/** Items between two updates: writing to the terminal for each of thousands of items would take most of the time. */
const SELDOM = 100

function barOf(done: number, of: number | undefined): string {
  if (of === undefined || of < done || of === 0) return String(done)
  const full = Math.round((done / of) * WIDTH)
  return `${'█'.repeat(full)}${'░'.repeat(WIDTH - full)} ${done} of ${of}`
}

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
