import { type Thrown, thrownIn } from '../../reply.ts'
import type { ShownInvocation } from '../stream/activity.ts'
import { type StatusLook, lookOf, wordsOf } from '../parts/statuses.ts'

interface Ending extends StatusLook {
  readonly word: string
}

type Seen = Pick<ShownInvocation, 'end' | 'messages' | 'logs'>

/** What its handler threw, the worst first. */
export function thrownOf({ logs }: Pick<Seen, 'logs'>): readonly Thrown[] {
  return logs
    .flatMap((line) => thrownIn(line) ?? [])
    .toSorted((one, other) => Number(other.isDead) - Number(one.isDead))
}

/** How an invocation ended, in a word: for all its messages, or for some of them. */
export function endingOf({ end, messages, logs }: Seen): Ending {
  if (end === undefined) return ending('running')
  if (end.outcome !== 'answered') return ending(end.outcome)
  const stay = messages.filter(({ messageId }) => end.failures.includes(messageId)).length
  return answered(messages.length, stay, thrownOf({ logs }))
}

/** A message of which a copy was sent, or a dead letter, is answered like one that is done. */
function answered(all: number, stay: number, thrown: readonly Thrown[]): Ending {
  const dead = thrown.filter(({ isDead }) => isDead).length
  const again = Math.max(stay, thrown.length - dead)
  const of = (count: number): string => (all === 1 ? '' : `${count} of ${all} `)
  if (dead > 0) return ending('dead-lettered', of(dead))
  if (again === 0) return ending('done')
  const later = ending('retried later', of(again))
  return thrown.length > 0 ? { ...later, tone: 'warn' } : later
}

/** @param of how many of how many */
function ending(status: string, of = ''): Ending {
  return { ...lookOf(status), word: of + wordsOf(status) }
}
