import type { Tone } from '../parts/tones.ts'
import type { Invocation } from '../stream/activity.ts'

interface Ending {
  readonly tone: Tone
  readonly glyph: string
  readonly word: string
}

/** How an invocation ended, in a word: for all its messages, or for some of them. */
export function endOf({ end, messages }: Pick<Invocation, 'end' | 'messages'>): Ending {
  if (end === undefined) return { tone: 'wait', glyph: '●', word: 'running' }
  const stay = messages.filter(({ messageId }) => end.failures.includes(messageId)).length
  switch (end.outcome) {
    case 'killed':
      return { tone: 'warn', glyph: '†', word: 'killed' }
    case 'timedOut':
      return { tone: 'warn', glyph: '!', word: 'timed out' }
    case 'failed':
      return { tone: 'bad', glyph: '✖', word: 'failed' }
    case 'answered':
      if (stay === 0) return { tone: 'good', glyph: '✔', word: 'done' }
      return {
        tone: 'wait',
        glyph: '↻',
        word:
          messages.length === 1 ? 'retried later' : `${stay} of ${messages.length} retried later`,
      }
  }
}
