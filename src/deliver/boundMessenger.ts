import type { Messenger } from '../send/messenger.ts'

/**
 * Gives up every call that SQS or SNS leaves unanswered while the invocation can still answer: the finished records of its batch
 * would come back with the others. Nothing is sent once `over` has aborted; records are hidden and deleted until `closed` has.
 */
export function boundMessenger(
  messenger: Messenger,
  { over, closed }: { readonly over: AbortSignal; readonly closed: AbortSignal },
): Messenger {
  return {
    send: (queue, messages) => messenger.send(queue, messages, over),
    publish: (topicArn, messages) => messenger.publish(topicArn, messages, over),
    hide: (queue, messages) => messenger.hide(queue, messages, closed),
    remove: (queue, receiptHandles) => messenger.remove(queue, receiptHandles, closed),
    deadLetterQueueOf: (queue) => messenger.deadLetterQueueOf(queue, over),
    assertReached: () => messenger.assertReached?.(),
  }
}
