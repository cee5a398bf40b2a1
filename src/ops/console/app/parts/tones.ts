/** What a colour means. `bad`: waits for a person. `warn`: should have gone on by itself. `wait`: goes on by itself. */
export type Tone = 'bad' | 'warn' | 'wait' | 'good' | 'quiet'

interface Look {
  readonly tone: Tone
  readonly glyph: string
}

/** By the words of the commands: kinds of `status`, statuses of `ls`, of facts, and outcomes of attempts. */
const LOOKS: Readonly<Record<string, Look>> = {
  'unknown outcome': { tone: 'bad', glyph: '?' },
  unknown: { tone: 'bad', glyph: '?' },
  'dead letters': { tone: 'bad', glyph: '✖' },
  dead: { tone: 'bad', glyph: '✖' },
  error: { tone: 'bad', glyph: '✖' },
  stopped: { tone: 'bad', glyph: '✖' },
  failed: { tone: 'bad', glyph: '✖' },
  refused: { tone: 'bad', glyph: '✖' },
  dying: { tone: 'bad', glyph: '✖' },
  exhausted: { tone: 'bad', glyph: '✖' },
  terminal: { tone: 'bad', glyph: '✖' },
  rejected: { tone: 'bad', glyph: '⊘' },
  conflict: { tone: 'bad', glyph: '≠' },
  'too old': { tone: 'bad', glyph: '◷' },
  moved: { tone: 'bad', glyph: '→' },
  killed: { tone: 'warn', glyph: '‖' },
  planned: { tone: 'wait', glyph: '○' },
  stalled: { tone: 'warn', glyph: '‖' },
  lost: { tone: 'warn', glyph: '‖' },
  overdue: { tone: 'warn', glyph: '!' },
  overTime: { tone: 'warn', glyph: '!' },
  timedOut: { tone: 'warn', glyph: '!' },
  braked: { tone: 'warn', glyph: '⊘' },
  paused: { tone: 'warn', glyph: '=' },
  retrying: { tone: 'wait', glyph: '↻' },
  inProgress: { tone: 'wait', glyph: '●' },
  running: { tone: 'wait', glyph: '●' },
  'long run': { tone: 'wait', glyph: '●' },
  'long wait': { tone: 'wait', glyph: '…' },
  awaiting: { tone: 'wait', glyph: '…' },
  waiting: { tone: 'wait', glyph: '…' },
  accepted: { tone: 'wait', glyph: '…' },
  later: { tone: 'wait', glyph: '◷' },
  due: { tone: 'wait', glyph: '◷' },
  ending: { tone: 'wait', glyph: '●' },
  undoing: { tone: 'wait', glyph: '●' },
  heldBack: { tone: 'warn', glyph: '‖' },
  overtaken: { tone: 'warn', glyph: '»' },
  stale: { tone: 'quiet', glyph: '·' },
  free: { tone: 'quiet', glyph: '○' },
  unreadable: { tone: 'warn', glyph: '!' },
  coming: { tone: 'quiet', glyph: '○' },
  done: { tone: 'good', glyph: '✔' },
  closed: { tone: 'good', glyph: '✔' },
  undone: { tone: 'good', glyph: '✔' },
  sent: { tone: 'good', glyph: '✔' },
  queued: { tone: 'good', glyph: '✔' },
  idle: { tone: 'good', glyph: '✔' },
  complete: { tone: 'good', glyph: '✔' },
  succeeded: { tone: 'good', glyph: '✔' },
  applied: { tone: 'good', glyph: '✔' },
  taken: { tone: 'good', glyph: '✔' },
}

const QUIET: Look = { tone: 'quiet', glyph: '·' }

export function lookOf(word: string): Look {
  return LOOKS[word] ?? QUIET
}

/** `inProgress` → `in progress`. */
export function wordsOf(status: string): string {
  return status.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}
