import type { Messenger, QueueMessage, SendOutcome } from '../../../send/messenger.ts'
import { isFifo } from '../../../send/queueUrl.ts'

export interface AddressedMessage {
  readonly url: string
  readonly message: QueueMessage
}

/** Outcomes are in the order of the messages. */
type SendInGroupOrder = (
  deadLetters: readonly AddressedMessage[],
) => Promise<readonly SendOutcome[]>

/** A message group of a FIFO queue stops at the first message that is refused: no later one overtakes it. */
export function sendInGroupOrder(messenger: Messenger): SendInGroupOrder {
  const stopped = new Map<string, Error>()

  /** Sends one by one, because in a batch SQS may refuse a message and accept the next one of its group. */
  async function sendInOrder(
    url: string,
    messages: readonly QueueMessage[],
  ): Promise<readonly SendOutcome[]> {
    const outcomes: SendOutcome[] = []
    for (const message of messages) {
      const group = JSON.stringify([url, message.groupId])
      const outcome = stopped.get(group) ?? (await messenger.send(url, [message]))[0]
      if (outcome !== undefined) stopped.set(group, outcome)
      outcomes.push(outcome)
    }
    return outcomes
  }

  return async (deadLetters) => {
    const outcomes = new Map<AddressedMessage, SendOutcome>()
    for (const [url, group] of Map.groupBy(deadLetters, (deadLetter) => deadLetter.url)) {
      const messages = group.map(({ message }) => message)
      const sent = await (isFifo(url) ? sendInOrder(url, messages) : messenger.send(url, messages))
      for (const [index, deadLetter] of group.entries()) outcomes.set(deadLetter, sent[index])
    }
    return deadLetters.map((deadLetter) => outcomes.get(deadLetter))
  }
}
