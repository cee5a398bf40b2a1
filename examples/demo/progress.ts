import type { Counts } from 'lineclear/local'
import type { BothSides } from './demoCloud.ts'
import { count } from './numbers.ts'

export interface SideState {
  readonly done: number
  readonly counts: Counts
}

export interface Snapshot extends BothSides<SideState> {
  /** The total. */
  readonly calls: number
}

/** Shows what `look` gives until the returned function is called. */
export type Watch = (look: () => Snapshot) => () => void

const FRAMES_MS = 100
const LINES_MS = 1_000
const HIDE_CURSOR = '\u001B[?25l'
const SHOW_CURSOR = '\u001B[?25h'
const CLEAR_LINE = '\r\u001B[K'

/** One line that changes on a terminal; a line a second elsewhere, and among log lines. */
export function progressOn(stream: NodeJS.WriteStream, amongLogs: boolean): Watch {
  return stream.isTTY && !amongLogs ? changing(stream) : lines(stream)
}

function changing(stream: NodeJS.WriteStream): Watch {
  return (look) => {
    const start = Date.now()
    stream.write(HIDE_CURSOR)
    const timer = setInterval(() => {
      stream.write(`${CLEAR_LINE}${frame(look(), Date.now() - start, stream.columns || 80)}`)
    }, FRAMES_MS)
    return () => {
      clearInterval(timer)
      stream.write(`${CLEAR_LINE}${SHOW_CURSOR}`)
    }
  }
}

function lines(stream: NodeJS.WriteStream): Watch {
  return (look) => {
    const start = Date.now()
    const timer = setInterval(() => {
      stream.write(`${line(look(), Date.now() - start)}\n`)
    }, LINES_MS)
    return () => {
      clearInterval(timer)
      stream.write('\n')
    }
  }
}

function line({ calls, ...sides }: Snapshot, elapsed: number): string {
  const part = (done: number): string =>
    `${count(done).padStart(count(calls).length)} of ${count(calls)}`
  return [
    seconds(elapsed),
    `naive ${part(sides.naive.done)}`,
    `Lineclear ${part(sides.lineclear.done)}`,
    ...mishaps(sides),
  ].join('   ')
}

/** The width of the line without its two bars. */
const TEXT_COLUMNS = 74
const LONGEST_BAR = 16

function frame({ calls, ...sides }: Snapshot, elapsed: number, columns: number): string {
  const length = Math.max(Math.min(Math.floor((columns - TEXT_COLUMNS) / 2), LONGEST_BAR), 1)
  const text = [
    seconds(elapsed),
    `naive ${bar(sides.naive.done / calls, length)}`,
    `Lineclear ${bar(sides.lineclear.done / calls, length)}`,
    ...mishaps(sides),
  ].join('   ')
  return text.slice(0, columns - 1)
}

function bar(part: number, length: number): string {
  const full = Math.round(part * length)
  const percent = String(Math.floor(part * 100)).padStart(3)
  return `${'━'.repeat(full)}${'╌'.repeat(length - full)} ${percent} %`
}

function mishaps({ naive, lineclear }: BothSides<SideState>): readonly string[] {
  const killed = naive.counts.kills + lineclear.counts.kills
  const lost = naive.counts.lostAnswers + lineclear.counts.lostAnswers
  return [`${count(killed)} killed`, `${count(lost)} answers lost`]
}

function seconds(milliseconds: number): string {
  return `${Math.floor(milliseconds / 1_000)} s`.padStart(6)
}
