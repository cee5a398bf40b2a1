/** What a colour means. `bad`: waits for a person. `warn`: should have gone on by itself. `wait`: goes on by itself. */
export type Tone = 'bad' | 'warn' | 'wait' | 'good' | 'quiet'

interface Look {
  readonly tone: Tone
  readonly glyph: string
}

/** By the words of the commands: kinds of `status`, statuses of `ls`, of facts, and outcomes of attempts. */
const WORDS: readonly (readonly [look: Look, words: readonly string[]])[] = [
  [{ tone: 'bad', glyph: '?' }, ['unknown outcome', 'unknown']],
  [
    { tone: 'bad', glyph: '✖' },
    [
      'dead letters',
      'no consumer',
      'lost record',
      'no dead letter',
      'dead',
      'error',
      'stopped',
      'failed',
      'refused',
      'dying',
      'exhausted',
      'terminal',
    ],
  ],
  [{ tone: 'bad', glyph: '⊘' }, ['rejected']],
  [{ tone: 'bad', glyph: '≠' }, ['conflict']],
  [{ tone: 'bad', glyph: '◷' }, ['too old']],
  [{ tone: 'bad', glyph: '→' }, ['moved']],
  [{ tone: 'warn', glyph: '‖' }, ['killed', 'stalled', 'lost', 'heldBack']],
  [
    { tone: 'warn', glyph: '!' },
    ['wrong clock', 'overdue', 'overTime', 'timedOut', 'unreadable', 'failed again', 'incomplete'],
  ],
  [{ tone: 'warn', glyph: '⊘' }, ['braked']],
  [{ tone: 'warn', glyph: '=' }, ['paused']],
  [{ tone: 'warn', glyph: '»' }, ['overtaken']],
  [{ tone: 'wait', glyph: '○' }, ['planned']],
  [{ tone: 'wait', glyph: '↻' }, ['retrying']],
  [
    { tone: 'wait', glyph: '●' },
    ['inProgress', 'running', 'long run', 'operation', 'ending', 'undoing'],
  ],
  [{ tone: 'wait', glyph: '…' }, ['long wait', 'awaiting', 'waiting', 'accepted']],
  [{ tone: 'wait', glyph: '◷' }, ['later', 'due']],
  [
    { tone: 'good', glyph: '✔' },
    [
      'done',
      'closed',
      'undone',
      'sent',
      'queued',
      'idle',
      'complete',
      'succeeded',
      'applied',
      'taken',
    ],
  ],
  [{ tone: 'quiet', glyph: '·' }, ['stale']],
  [{ tone: 'quiet', glyph: '○' }, ['free', 'coming']],
]

const LOOKS: ReadonlyMap<string, Look> = new Map(
  WORDS.flatMap(([look, words]) => words.map((word) => [word, look] as const)),
)

const QUIET: Look = { tone: 'quiet', glyph: '·' }

export function lookOf(word: string): Look {
  return LOOKS.get(word) ?? QUIET
}

/** `inProgress` → `in progress`. */
export function wordsOf(status: string): string {
  return status.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}
