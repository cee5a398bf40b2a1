import type { LocalCloud } from '../cloud/localCloud.ts'
import type { BookMessage } from './definition.ts'
import { isObject } from '../../../base/kindOf.ts'

/** The messages of a queue, for books: of SNS's notification what was published. */
export async function messagesIn(
  cloud: LocalCloud,
  queue: string,
): Promise<readonly BookMessage[]> {
  const { ready, delayed, inFlight } = await cloud.queueContents(queue)
  return [...ready, ...delayed, ...inFlight].map(({ messageId, body }) => {
    const payload = parsed(body)
    const isNotification = isObject(payload) && payload['Type'] === 'Notification'
    return { messageId, payload: isNotification ? parsed(String(payload['Message'])) : payload }
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
