import type { DevCall, DevConsumerState, KillNext } from '../../dev/index.ts'

interface Aimable {
  readonly action: string
  readonly effect?: string | undefined
}

/**
 * The same call of another invocation: by its effect, which is surer than the kind of the call, and by its place among those of
 * the same effect and kind.
 * @param all the calls of its invocation, in their order
 */
export function aimAt<Call extends Aimable>(
  call: Call | undefined,
  all: readonly Call[] = [],
): KillNext {
  if (call === undefined) return {}
  const { action, effect } = call
  const alike = all.filter((each) => each.action === action && each.effect === effect)
  const nth = alike.indexOf(call) + 1
  return { action, ...(effect !== undefined && { effect }), ...(nth > 1 && { nth }) }
}

/** @example 'after its next call UpdateItem of effect reserve' */
export function aimWords({ action, effect, request, nth = 1, when = 'after' }: KillNext): string {
  return [
    nth === 1 ? `${when} its next call` : `${when} call number ${nth} that is`,
    ...(action === undefined ? [] : [action]),
    ...(effect === undefined ? [] : [`of ${effect}`]),
    ...(request === undefined ? [] : [`for ${request}`]),
  ].join(' ')
}

/**
 * The calls are those of the last invocation, which may have made fewer.
 * @param picked number of a call, from 1, as a text; '': any
 */
export function stillThere(calls: readonly unknown[], picked: string): string {
  return calls[Number(picked) - 1] === undefined ? '' : picked
}

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
