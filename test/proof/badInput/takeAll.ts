import { DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs'
import type { LocalCloud } from 'lineclear/local'

export interface Taken {
  /** The body as it is, and the inner body when it was wrapped. */
  readonly bodies: readonly string[]
  /** Reason and error of a dead letter. */
  readonly error: string
}

/** Receives everything on the queue, and deletes it. */
export async function takeAll(cloud: LocalCloud, queue: string): Promise<readonly Taken[]> {
  const QueueUrl = cloud.queueUrl(queue)
  const messages: Taken[] = []
  for (;;) {
    const { Messages = [] } = await cloud.sqs.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: 10,
        MessageAttributeNames: ['All'],
      }),
    )
    if (Messages.length === 0) return messages
    for (const { Body = '', ReceiptHandle, MessageAttributes } of Messages) {
      messages.push({
        bodies: [Body, insideOf(Body)],
        error: errorOf(MessageAttributes?.['lineclear']?.StringValue),
      })
      await cloud.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }))
    }
  }
}

function errorOf(packed: string | undefined): string {
  const { reason, error } = JSON.parse(packed ?? '{}') as { reason?: string; error?: string }
  return `${reason}: ${error}`
}

function insideOf(body: string): string {
  const wrapper = body.startsWith('{"Type":"lineclear"') ? body : '{}'
  return (JSON.parse(wrapper) as { Message?: string }).Message ?? body
}
