import type { LocalEvent } from '../../../../testing/local/observe/event.ts'

/** Messages went from one place to another. */
export interface Move {
  readonly from: Place
  readonly to: Place
  readonly count: number
  /** Epoch milliseconds. */
  readonly at: number
}

export interface Place {
  readonly kind: 'queue' | 'topic' | 'function'
  readonly name: string
}

const SENDS = new Set(['SendMessage', 'SendMessageBatch', 'Publish', 'PublishBatch'])
/** The request took effect, and its answer did not come. */
const DONE_UNHEARD = new Set(['killAfter', 'loseAnswer', 'hangAfter'])

/** Which messages have moved with this event. What was tried, and did not happen, moves nothing. */
export function movesOf(event: LocalEvent): readonly Move[] {
  if (event.type === 'begun') {
    const { at, queue, function: name, messages } = event
    const [from, to] = [place('queue', queue), place('function', name)]
    return [{ from, to, count: messages.length, at }]
  }
  if (event.type !== 'call' || event.to === undefined || !SENDS.has(event.action)) return []
  const tookEffect = event.outcome === 'ended' || DONE_UNHEARD.has(event.fault ?? '')
  if (!tookEffect) return []
  const [from, to] = [place('function', event.function), targetOf(event.action, event.to)]
  return [{ from, to, count: 1, at: event.at }]
}

/** A queue may have the name of a topic. */
function targetOf(action: string, name: string): Place {
  return place(action.startsWith('Publish') ? 'topic' : 'queue', name)
}

function place(kind: Place['kind'], name: string): Place {
  return { kind, name }
}
