import type {
  Messenger,
  QueueMessage,
  SendOutcome,
} from '../../../src/library/protocol/send/messenger.ts'
import { call } from '../../../src/testing/crashes/simulation/call.ts'
import type { Model } from './model.ts'
import { DEAD_LETTER_URL, NEXT_URL, QUEUE_URL } from './places.ts'
import {
  attributeOf,
  hide,
  put,
  type SimulatedQueue,
  remove,
} from '../../../src/testing/queues/simulatedQueue.ts'
import type { Actor } from '../../../src/testing/crashes/simulation/simulation.ts'
import type { CrashCallFault } from '../../../src/testing/crashes/simulation/crashFaults.ts'

const SEND: readonly CrashCallFault[] = [
  'answer lost',
  'repeated',
  'throttled',
  'killed before',
  'killed on the wire',
]

type Places = Pick<Model, 'simulation' | 'queue' | 'deadLetters' | 'next' | 'watch'>

/** SQS as one invocation sees it. */
export function messengerOf(actor: Actor, places: Places): Messenger {
  const { simulation, queue, watch } = places
  const accept = (url: string, message: QueueMessage): void => {
    put(queueAt(url, places), message, simulation.now)
    if (url === NEXT_URL) watch.sent(message.body, attributeOf(message, 'uniquerequestid'))
  }
  return {
    send: (url, messages) =>
      call(simulation, actor, {
        what: SENDS[url] ?? `sends to ${url}`,
        apply: async () => {
          for (const message of messages) accept(url, message)
          return messages.map(() => undefined)
        },
        unanswered: () => messages.map(refusal),
        throttled: () => messages.map(refusal),
        seen,
        faults: SEND,
      }),
    publish: () => Promise.reject(new Error('nothing is published here')),
    hide: (_url, messages) =>
      call(simulation, actor, {
        what: `hides the message for ${messages[0]?.seconds} s`,
        apply: async () =>
          messages.map(({ receiptHandle, seconds }) =>
            hide(queue, receiptHandle, simulation.now + seconds * 1_000) ? undefined : refusal(),
          ),
        throttled: () => messages.map(refusal),
        seen,
        faults: ['throttled', 'killed before', 'killed on the wire'],
      }),
    remove: (_url, handles) =>
      call(simulation, actor, {
        what: 'deletes what is finished',
        apply: async () => {
          for (const handle of handles) remove(queue, handle)
          return handles.map(() => undefined)
        },
        throttled: () => handles.map(refusal),
        seen,
        faults: ['throttled', 'killed before', 'killed on the wire'],
      }),
    deadLetterQueueOf: async () => DEAD_LETTER_URL,
  }
}

const SENDS: Readonly<Record<string, string>> = {
  [QUEUE_URL]: 're-sends the message',
  [DEAD_LETTER_URL]: 'sends the dead letter',
  [NEXT_URL]: 'sends on',
}

function queueAt(url: string, { queue, deadLetters, next }: Places): SimulatedQueue {
  if (url === QUEUE_URL) return queue
  return url === DEAD_LETTER_URL ? deadLetters : next
}

function refusal(): Error {
  return new Error('no answer')
}

function seen(outcomes: readonly SendOutcome[]): string {
  return outcomes.map((outcome) => outcome?.message ?? 'accepted').join()
}
