/** What a colour means. `bad`: waits for a person. `warn`: should have gone on by itself. `wait`: goes on by itself. */
export type Tone = 'bad' | 'warn' | 'wait' | 'good' | 'quiet'

export interface StatusLook {
  readonly tone: Tone
  readonly glyph: string
}

/**
 * The only place that says how a status is called and looks: each line a word of the page, and the words of commands that mean it.
 * Those are the kinds of `status`, the statuses of `ls`, of facts and operations, the outcomes of attempts, and reasons.
 */
const STATUSES: readonly (readonly [look: StatusLook, word: string, of: readonly string[]])[] = [
  [{ tone: 'bad', glyph: '?' }, 'unknown outcome', ['unknown']],
  [{ tone: 'bad', glyph: '✖' }, 'dead letters', []],
  [{ tone: 'bad', glyph: '✖' }, 'no consumer', []],
  [{ tone: 'bad', glyph: '✖' }, 'lost record', []],
  [{ tone: 'bad', glyph: '✖' }, 'no dead letter', []],
  [{ tone: 'bad', glyph: '✖' }, 'failed', ['error', 'dead']],
  [{ tone: 'bad', glyph: '✖' }, 'stopped', []],
  [{ tone: 'bad', glyph: '✖' }, 'refused', []],
  [{ tone: 'bad', glyph: '✖' }, 'failing', ['dying', 'ending']],
  [{ tone: 'bad', glyph: '✖' }, 'dead-lettered', []],
  [{ tone: 'bad', glyph: '✖' }, 'exhausted', []],
  [{ tone: 'bad', glyph: '✖' }, 'terminal', []],
  [{ tone: 'bad', glyph: '⊘' }, 'rejected', []],
  [{ tone: 'bad', glyph: '≠' }, 'conflict', []],
  [{ tone: 'bad', glyph: '◷' }, 'too old', []],
  [{ tone: 'bad', glyph: '→' }, 'moved', []],
  [{ tone: 'warn', glyph: '‖' }, 'stalled', ['lost']],
  [{ tone: 'warn', glyph: '†' }, 'killed', []],
  [{ tone: 'warn', glyph: '!' }, 'overdue', ['overTime']],
  [{ tone: 'warn', glyph: '!' }, 'timed out', ['timedOut']],
  [{ tone: 'warn', glyph: '!' }, 'wrong clock', []],
  [{ tone: 'warn', glyph: '!' }, 'throttled', []],
  [{ tone: 'warn', glyph: '!' }, 'backlog', []],
  [{ tone: 'warn', glyph: '!' }, 'no progress', []],
  [{ tone: 'warn', glyph: '!' }, 'sweeper', []],
  [{ tone: 'warn', glyph: '!' }, 'unreadable', []],
  [{ tone: 'warn', glyph: '!' }, 'failed again', []],
  [{ tone: 'warn', glyph: '!' }, 'incomplete', []],
  [{ tone: 'warn', glyph: '⊘' }, 'circuitOpen', ['heldBack']],
  [{ tone: 'warn', glyph: '=' }, 'paused', []],
  [{ tone: 'warn', glyph: '»' }, 'overtaken', []],
  [{ tone: 'wait', glyph: '○' }, 'planned', []],
  [{ tone: 'wait', glyph: '↻' }, 'retrying', []],
  [{ tone: 'wait', glyph: '↻' }, 'retried later', []],
  [{ tone: 'wait', glyph: '●' }, 'in progress', ['inProgress', 'running', 'operation']],
  [{ tone: 'wait', glyph: '●' }, 'long run', []],
  [{ tone: 'wait', glyph: '…' }, 'waits', ['waiting', 'awaiting', 'accepted']],
  [{ tone: 'wait', glyph: '…' }, 'long wait', []],
  [{ tone: 'wait', glyph: '◷' }, 'delayed', ['later', 'due']],
  [{ tone: 'good', glyph: '✔' }, 'done', ['complete', 'closed', 'succeeded', 'applied', 'taken']],
  [{ tone: 'good', glyph: '✔' }, 'sent', ['queued']],
  [{ tone: 'quiet', glyph: '○' }, 'free', ['idle']],
  [{ tone: 'quiet', glyph: '○' }, 'to come', ['coming']],
  [{ tone: 'quiet', glyph: '·' }, 'stale', []],
]

const KNOWN: ReadonlyMap<string, readonly [StatusLook, string]> = new Map(
  STATUSES.flatMap(([look, word, of]) =>
    [word, ...of].map((each) => [each, [look, word]] as const),
  ),
)

const QUIET: StatusLook = { tone: 'quiet', glyph: '·' }

export function lookOf(status: string): StatusLook {
  return KNOWN.get(status)?.[0] ?? QUIET
}

/** One word for all statuses that mean the same. `someOther` → `some other`. */
export function wordsOf(status: string): string {
  const [, word] = KNOWN.get(status) ?? []
  return word ?? status.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}
