import type { Handler } from './handlers.ts'
import type { Dequeue } from './receipts.ts'

type SystemAttributes = Readonly<Record<string, string>>

/** A message as a queue of fauxqs holds it, until it is deleted, also on another queue. */
interface QueuedMessage {
  readonly messageId: string
}

interface SendingQueue {
  readonly messages: readonly QueuedMessage[]
  readonly delayedMessages: readonly QueuedMessage[]
  readonly fifoMessages: ReadonlyMap<string, readonly QueuedMessage[]>
  readonly fifoDelayed: ReadonlyMap<string, readonly QueuedMessage[]>
}
interface Queues {
  getQueue(url: string): SendingQueue | undefined
}

interface Entry {
  readonly Id?: string
  readonly MessageGroupId?: string
  readonly MessageSystemAttributes?: {
    readonly AWSTraceHeader?: { readonly StringValue?: string }
  }
}
interface Sent {
  readonly Id?: string
  readonly MessageId?: string
}
interface SendAnswer extends Sent {
  readonly Successful?: readonly Sent[]
}

const kept = new WeakMap<QueuedMessage, SystemAttributes>()

function keep(message: QueuedMessage, attributes: SystemAttributes): void {
  kept.set(message, { ...kept.get(message), ...attributes })
}

/** fauxqs 2.4.1 loses AWSTraceHeader, and the MessageGroupId of a standard queue. Its handler does not wait, so that no reader has received the message. */
export function keepingAttributes(handler: Handler): Handler {
  return (params, store, ...rest) => {
    const answer = handler(params, store, ...rest) as SendAnswer
    const queue = (store as Queues).getQueue(String(params['QueueUrl']))
    const entries = (params['Entries'] ?? [params]) as readonly Entry[]
    const sent = new Map(entries.map((entry) => [entry.Id, entry]))
    for (const { Id, MessageId } of answer.Successful ?? [answer]) {
      const { MessageGroupId, MessageSystemAttributes } = sent.get(Id) ?? {}
      const AWSTraceHeader = MessageSystemAttributes?.AWSTraceHeader?.StringValue
      const message = queue && newest(queue, MessageId)
      if (message !== undefined) keep(message, present({ AWSTraceHeader, MessageGroupId }))
    }
    return answer
  }
}

/** undefined: it was a duplicate. */
function newest(
  { messages, delayedMessages, fifoMessages, fifoDelayed }: SendingQueue,
  id: string | undefined,
): QueuedMessage | undefined {
  const lists = [messages, delayedMessages, ...fifoMessages.values(), ...fifoDelayed.values()]
  for (const list of lists) {
    const found = list.findLast(({ messageId }) => messageId === id)
    if (found !== undefined) return found
  }
  return undefined
}

interface Target {
  enqueue(message: QueuedMessage): void
}
type FindTarget = (arn: string) => Target | undefined

/** What a receive adds to the answer, by its messages. */
const received = new WeakMap<object, SystemAttributes>()

/** fauxqs 2.4.1 does not say from which queue it has moved a dead letter. */
export function namingSources(dequeue: Dequeue): Dequeue {
  return function (most, visibility, find, ...rest) {
    const { arn } = this
    const noting: FindTarget = (target) => {
      const queue = (find as FindTarget | undefined)?.(target)
      return (
        queue && {
          enqueue: (message) => {
            keep(message, { DeadLetterQueueSourceArn: arn })
            queue.enqueue(message)
          },
        }
      )
    }
    const taken = Reflect.apply(dequeue, this, [most, visibility, noting, ...rest])
    for (const message of taken) {
      const queued = this.inflightMessages.get(message.ReceiptHandle)?.message
      const attributes = queued && kept.get(queued)
      if (attributes !== undefined) received.set(message, attributes)
    }
    return taken
  }
}

interface Received {
  readonly Attributes?: SystemAttributes
}
interface ReceiveAnswer {
  readonly Messages?: readonly Received[]
}

/** Adds them to what was received, if they are asked for. */
export function restoringAttributes(handler: Handler): Handler {
  return async (params, store, ...rest) => {
    const answer = (await handler(params, store, ...rest)) as ReceiveAnswer
    const lists = [params['AttributeNames'], params['MessageSystemAttributeNames']]
    const asked = lists.flatMap((names) => (names ?? []) as readonly string[])
    if (answer.Messages === undefined || asked.length === 0) return answer
    const isAsked = ([name]: readonly [string, string]): boolean =>
      asked.includes('All') || asked.includes(name)
    const restored = answer.Messages.map((message) => {
      const added = Object.entries(received.get(message) ?? {}).filter(isAsked)
      if (added.length === 0) return message
      return { ...message, Attributes: { ...Object.fromEntries(added), ...message.Attributes } }
    })
    return { ...answer, Messages: restored }
  }
}

export function present(
  attributes: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  )
}
