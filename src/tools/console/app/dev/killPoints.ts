import type { DevCall, DevConsumerState, KillNext } from '../../dev/index.ts'
import { aimAt } from './aim.ts'

/** An attempt, as the page of its request draws it. */
export interface AttemptDrawn {
  /** Its consumer, as requests name it. */
  readonly lane: string
  readonly marks: readonly { readonly kind: string; readonly label: string }[]
}

/** A call at which the next attempt can be killed. */
export interface KillPoint {
  /** @example 'effect reserve' */
  readonly label: string
  /** What the call does; absent when the handlers were not seen to make it. */
  readonly words?: string
  readonly before: KillNext
  readonly after: KillNext
}

/** Where the next attempt of the consumer of a bar can be killed: what its marks say, then the other calls of the consumer. */
interface KillPoints {
  readonly consumer: DevConsumerState
  readonly marked: readonly KillPoint[]
  readonly others: readonly KillPoint[]
}

/** @returns undefined: it is not of a consumer of FILE */
export function killPointsOf(
  { lane, marks }: AttemptDrawn,
  consumers: readonly DevConsumerState[],
): KillPoints | undefined {
  const consumer = consumers.find(({ names }) => names.includes(lane))
  if (consumer === undefined) return undefined
  const { calls } = consumer
  const used = new Set<DevCall>()
  const pointOf = (label: string, call: DevCall): KillPoint => {
    used.add(call)
    return { label, words: wordsFor(call, lane), ...beforeAndAfter(aimAt(call, calls)) }
  }
  const marked = marks.flatMap(({ kind: mark, label }) => {
    if (mark !== 'effect' && mark !== 'call' && mark !== 'send') return []
    const own = calls.filter((call) => (mark === 'send' ? call.to : call.effect) === label)
    if (own.length > 0) return own.map((call) => pointOf(`${mark} ${label}`, call))
    return mark === 'send'
      ? []
      : [{ label: `${mark} ${label}`, ...beforeAndAfter({ effect: label }) }]
  })
  const others = calls
    .filter((call) => !used.has(call))
    .map((call) => pointOf(wordsFor(call, lane), call))
  return { consumer, marked, others }
}

function beforeAndAfter(aim: KillNext): Pick<KillPoint, 'before' | 'after'> {
  return { before: { ...aim, when: 'before' }, after: { ...aim, when: 'after' } }
}

/** The calls are those of another request: its id would mislead. */
function wordsFor({ words }: DevCall, lane: string): string {
  const [flow] = lane.split('.')
  return words
    .split(' ')
    .map((word) => {
      if (!word.startsWith(`${lane}/`) && !word.startsWith(`${flow}/`)) return word
      return word.endsWith(':') ? 'its request:' : 'its request'
    })
    .join(' ')
}
