import { type Thrown, thrownIn } from '../../thrown.ts'
import type { Tone } from '../parts/tones.ts'
import type { Invocation } from '../stream/activity.ts'

interface Ending {
  readonly tone: Tone
  readonly glyph: string
  readonly word: string
}

type Seen = Pick<Invocation, 'end' | 'messages' | 'logs'>

/** What its handler threw, the worst first. */
export function thrownOf({ logs }: Pick<Seen, 'logs'>): readonly Thrown[] {
  return logs
    .flatMap((line) => thrownIn(line) ?? [])
    .toSorted((one, other) => Number(other.isDead) - Number(one.isDead))
}

/** How an invocation ended, in a word: for all its messages, or for some of them. */
export function endOf({ end, messages, logs }: Seen): Ending {
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
      return answered(messages.length, stay, thrownOf({ logs }))
  }
}

/** A message of which a copy was sent, or a dead letter, is answered like one that is done. */
function answered(all: number, stay: number, thrown: readonly Thrown[]): Ending {
  const dead = thrown.filter(({ isDead }) => isDead).length
  const again = Math.max(stay, thrown.length - dead)
  const of = (count: number): string => (all === 1 ? '' : `${count} of ${all} `)
  if (dead > 0) return { tone: 'bad', glyph: '✖', word: `${of(dead)}dead-lettered` }
  if (again === 0) return { tone: 'good', glyph: '✔', word: 'done' }
  return {
    tone: thrown.length > 0 ? 'warn' : 'wait',
    glyph: '↻',
    word: `${of(again)}retried later`,
  }
}
