import type { DevSent } from '../../dev/index.ts'
import type { Invocation } from '../stream/activity.ts'

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
