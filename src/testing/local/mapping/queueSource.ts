import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  type BatchResultErrorEntry,
  type Message,
  type SQSClient,
} from '@aws-sdk/client-sqs'

/** The operations of a queue that a consumer uses. */
export interface QueueSource {
  /** At most ten messages; none when none arrived within `waitSeconds`. */
  receive(most: number, waitSeconds: number): Promise<readonly Message[]>
  remove(receiptHandles: readonly string[]): Promise<Changed>
  /** Hides for `seconds` from now; 0 makes visible at once. */
  hide(messages: readonly Hiding[]): Promise<Changed>
}

interface Hiding {
  readonly receiptHandle: string
  readonly seconds: number
}

interface Changed {
  readonly done: number
  readonly failed: readonly BatchResultErrorEntry[]
}

const MOST_PER_CALL = 10

/** The limit for all attempts of a call together, milliseconds: on a half-open connection no attempt would end by itself. */
const ANSWER_MS = 5_000

function within(milliseconds: number): { readonly abortSignal: AbortSignal } {
  return { abortSignal: AbortSignal.timeout(milliseconds) }
}

export function queueSourceOf(sqs: SQSClient, QueueUrl: string): QueueSource {
  return {
    receive: async (most, waitSeconds) => {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: Math.min(most, MOST_PER_CALL),
          WaitTimeSeconds: waitSeconds,
          MessageAttributeNames: ['All'],
          MessageSystemAttributeNames: ['All'],
        }),
        within(waitSeconds * 1_000 + ANSWER_MS),
      )
      return Messages
    },
    remove: (receiptHandles) =>
      inBatches(
        receiptHandles.map((ReceiptHandle) => ({ ReceiptHandle })),
        (Entries) =>
          sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }), within(ANSWER_MS)),
      ),
    hide: (messages) =>
      inBatches(
        messages.map(({ receiptHandle, seconds }) => ({
          ReceiptHandle: receiptHandle,
          VisibilityTimeout: seconds,
        })),
        (Entries) =>
          sqs.send(
            new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }),
            within(ANSWER_MS),
          ),
      ),
  }
}

/** @throws the SDK's error when the queue does not exist or may not be read */
export async function readQueue(
  sqs: SQSClient,
  QueueUrl: string,
): Promise<{ readonly arn: string; readonly visibilitySeconds: number }> {
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl,
      AttributeNames: ['QueueArn', 'VisibilityTimeout'],
    }),
  )
  return {
    arn: Attributes.QueueArn ?? '',
    visibilitySeconds: Number(Attributes.VisibilityTimeout),
  }
}

interface BatchAnswer {
  readonly Failed?: BatchResultErrorEntry[] | undefined
}

async function inBatches<Entry extends object>(
  entries: readonly Entry[],
  send: (entries: (Entry & { Id: string })[]) => Promise<BatchAnswer>,
): Promise<Changed> {
  const failed: BatchResultErrorEntry[] = []
  for (let start = 0; start < entries.length; start += MOST_PER_CALL) {
    const batch = entries.slice(start, start + MOST_PER_CALL)
    const { Failed = [] } = await send(
      batch.map((entry, index) => ({ ...entry, Id: String(index) })),
    )
    failed.push(...Failed)
  }
  return { done: entries.length - failed.length, failed }
}
