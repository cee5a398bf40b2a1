import { DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs'
import type { LocalCloud } from 'lineclear/local'

export interface Letter {
  /** As it is; and what lies inside, when it had to be wrapped. */
  readonly bodies: readonly string[]
  /** Reason and error of a dead letter. */
  readonly told: string
}

/** Everything that is on the queue, and nothing is left there. */
export async function takeAll(cloud: LocalCloud, queue: string): Promise<readonly Letter[]> {
  const QueueUrl = cloud.queueUrl(queue)
  const letters: Letter[] = []
  for (;;) {
    const { Messages = [] } = await cloud.sqs.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: 10,
        MessageAttributeNames: ['All'],
      }),
    )
    if (Messages.length === 0) return letters
    for (const { Body = '', ReceiptHandle, MessageAttributes } of Messages) {
      letters.push({
        bodies: [Body, insideOf(Body)],
        told: toldBy(MessageAttributes?.['lineclear']?.StringValue),
      })
      await cloud.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }))
    }
  }
}

function toldBy(packed: string | undefined): string {
  const { reason, error } = JSON.parse(packed ?? '{}') as { reason?: string; error?: string }
  return `${reason}: ${error}`
}

function insideOf(body: string): string {
  const wrapper = body.startsWith('{"Type":"lineclear"') ? body : '{}'
  return (JSON.parse(wrapper) as { Message?: string }).Message ?? body
}
