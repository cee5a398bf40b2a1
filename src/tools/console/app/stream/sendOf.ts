import type { LocalEvent } from '../../../../testing/local/observe/event.ts'

/** A function has sent to a queue or a topic. */
export interface Send {
  readonly function: string
  readonly to: Place
}

export interface Place {
  readonly kind: 'queue' | 'topic' | 'function'
  readonly name: string
}

const SENDS = new Set(['SendMessage', 'SendMessageBatch', 'Publish', 'PublishBatch'])
/** The request took effect, and its answer did not come. */
const DONE_UNHEARD = new Set(['killAfter', 'loseAnswer', 'hangAfter'])

/** @returns undefined: nothing was sent, or it was tried and did not happen */
export function sendOf(event: LocalEvent): Send | undefined {
  if (event.type !== 'call' || event.to === undefined || !SENDS.has(event.action)) return undefined
  if (event.outcome !== 'ended' && !DONE_UNHEARD.has(event.fault ?? '')) return undefined
  // A queue may have the name of a topic.
  const kind = event.action.startsWith('Publish') ? 'topic' : 'queue'
  return { function: event.function, to: { kind, name: event.to } }
}
