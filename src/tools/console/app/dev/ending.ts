import { type Thrown, thrownIn } from '../../reply.ts'
import type { Invocation } from '../stream/activity.ts'
import type { DevSent } from '../../dev/index.ts'
import { lookOf, type Tone, wordsOf } from '../parts/statuses.ts'

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

/** What was sent, and the newest invocation that got it; undefined: none was seen. */
export interface Followed {
  readonly sent: DevSent
  readonly invocation: Invocation | undefined
  /** Its messages in that invocation: the others are of other requests. */
  readonly messages: Invocation['messages']
  /** Invocations that got it. */
  readonly times: number
}

/** @param invocations oldest first */
export function followedOf(
  sent: readonly DevSent[],
  invocations: readonly Invocation[],
): readonly Followed[] {
  const since = Math.min(...sent.map(({ sentAt }) => Date.parse(sentAt)))
  const byId = new Map<string, { newest: Invocation; times: number }>()
  for (const invocation of invocations) {
    // Clocks of the page and the server are the same; a message is not taken before it is sent.
    if (invocation.began < since - SLACK) continue
    const ids = invocation.messages.flatMap(({ messageId, uniqueRequestId }) => [
      ...new Set([messageId, uniqueRequestId ?? messageId]),
    ])
    for (const id of ids)
      byId.set(id, { newest: invocation, times: (byId.get(id)?.times ?? 0) + 1 })
  }
  return sent.map((each) => {
    const found = byId.get(each.uniqueRequestId ?? '') ?? byId.get(each.request)
    const ids = new Set([each.request, each.uniqueRequestId ?? each.request])
    const messages = (found?.newest.messages ?? []).filter(
      ({ messageId, uniqueRequestId = messageId }) =>
        ids.has(messageId) || ids.has(uniqueRequestId),
    )
    return { sent: each, invocation: found?.newest, messages, times: found?.times ?? 0 }
  })
}

/** `sentAt` may be read a little later than the message is there, milliseconds. */
const SLACK = 1_000
