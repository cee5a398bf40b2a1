import { toError } from '../../base/errors.ts'
import { lazily } from '../../base/lazily.ts'
import type { Messenger, Sender } from '../../protocol/send/messenger.ts'
import type { MessengerClients } from './sdkMessenger.ts'

export const loadSdkMessenger: () => Promise<typeof import('./sdkMessenger.ts')> = lazily(
  () => import('./sdkMessenger.ts'),
)

/** Loads what calls SQS and SNS at the first message. If that fails, no message was accepted, and the next call loads it again. */
export function awsMessenger(clients: MessengerClients): Messenger & Sender {
  let loaded: (Messenger & Sender) | undefined
  const messenger = async (): Promise<Messenger & Sender> =>
    (loaded ??= (await loadSdkMessenger()).sdkMessenger(clients))
  /** One answer for each message, as the interface promises. */
  const each = async <Answer>(
    messages: readonly unknown[],
    call: (by: Messenger & Sender) => Promise<readonly (Answer | Error)[]>,
  ): Promise<readonly (Answer | Error)[]> => {
    const by = await messenger().catch(toError)
    return by instanceof Error ? messages.map(() => by) : call(by)
  }
  return {
    deliver: (route, target, messages, over) =>
      each(messages, (by) => by.deliver(route, target, messages, over)),
    send: (queue, messages, over) => each(messages, (by) => by.send(queue, messages, over)),
    publish: (topic, messages, over) => each(messages, (by) => by.publish(topic, messages, over)),
    hide: (queue, messages, over) => each(messages, (by) => by.hide(queue, messages, over)),
    remove: (queue, handles, over) => each(handles, (by) => by.remove(queue, handles, over)),
    deadLetterQueueOf: async (queue, over) => (await messenger()).deadLetterQueueOf(queue, over),
    assertReached: () => loaded?.assertReached?.(),
  }
}
