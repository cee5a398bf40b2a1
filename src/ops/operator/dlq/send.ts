import type { Messenger, QueueMessage, SendOutcome } from '../../../queue/messenger.ts'
import { isFifo } from '../../../queue/queueUrl.ts'

export interface Addressed {
  readonly url: string
  readonly message: QueueMessage
}

/** Outcomes stand in the order of the letters. */
export type SendLetters = (letters: readonly Addressed[]) => Promise<readonly SendOutcome[]>

/** A message group of a FIFO queue stops at the first letter that is refused: no later one overtakes it. */
export function sendLetters(messenger: Messenger): SendLetters {
  const stopped = new Map<string, Error>()

  /** In one batch a letter may be refused and the next of its group taken. */
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

  return async (letters) => {
    const outcomes = new Map<Addressed, SendOutcome>()
    for (const [url, group] of Map.groupBy(letters, (letter) => letter.url)) {
      const messages = group.map(({ message }) => message)
      const sent = await (isFifo(url) ? sendInOrder(url, messages) : messenger.send(url, messages))
      for (const [index, letter] of group.entries()) outcomes.set(letter, sent[index])
    }
    return letters.map((letter) => outcomes.get(letter))
  }
}
