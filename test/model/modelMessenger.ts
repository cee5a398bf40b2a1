import type { Messenger, Outbound, SendOutcome } from '../../src/queue/messenger.ts'
import { DEAD_LETTER_URL, type Lab, NEXT_URL, QUEUE_URL } from './lab.ts'
import { attributeOf, hide, put, remove } from './sqs.ts'
import { type Actor, call, type CallFault } from './world.ts'

const SEND: readonly CallFault[] = [
  'answer lost',
  'repeated',
  'throttled',
  'killed before',
  'killed after',
  'killed on the wire',
]

const refusals = (messages: readonly unknown[]): SendOutcome[] =>
  messages.map(() => new Error('no answer'))
const acceptances = (messages: readonly unknown[]): SendOutcome[] => messages.map(() => undefined)

/** SQS as one invocation sees it. */
export function messengerOf(actor: Actor, lab: Lab): Messenger {
  const { world, queue, deadLetters, next, watch } = lab
  const WHERE = {
    [QUEUE_URL]: { queue, what: 're-sends the message' },
    [DEAD_LETTER_URL]: { queue: deadLetters, what: 'sends the dead letter' },
    [NEXT_URL]: { queue: next, what: 'sends on' },
  }
  const accept = (url: string, message: Outbound): void => {
    put(WHERE[url]?.queue ?? next, message, world.now)
    if (url === NEXT_URL) watch.sent(message.body, attributeOf(message, 'uniquerequestid'))
  }
  return {
    send: (url, messages) =>
      call(world, actor, {
        what: WHERE[url]?.what ?? `sends to ${url}`,
        apply: async () => {
          for (const message of messages) accept(url, message)
          return acceptances(messages)
        },
        unanswered: () => refusals(messages),
        throttled: () => refusals(messages),
        faults: SEND,
      }),
    publish: () => Promise.reject(new Error('nothing is published here')),
    hide: (_url, messages) =>
      call(world, actor, {
        what: `hides the message for ${messages[0]?.seconds} s`,
        apply: async () =>
          messages.map(({ receiptHandle, seconds }) =>
            hide(queue, receiptHandle, world.now + seconds * 1_000) ? undefined : new Error('gone'),
          ),
        throttled: () => refusals(messages),
        faults: ['throttled', 'killed before', 'killed after'],
      }),
    remove: (_url, handles) =>
      call(world, actor, {
        what: 'deletes what is finished',
        apply: async () => {
          for (const handle of handles) remove(queue, handle)
          return acceptances(handles)
        },
        faults: ['killed before', 'killed after'],
      }),
    deadLetterQueueOf: async () => DEAD_LETTER_URL,
  }
}
