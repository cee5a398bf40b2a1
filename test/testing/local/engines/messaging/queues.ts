import {
  ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  GetQueueUrlCommand,
  type Message,
  ReceiveMessageCommand,
  type ReceiveMessageCommandInput,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SendMessageCommandInput,
} from '@aws-sdk/client-sqs'
import { PublishCommand, type PublishCommandInput } from '@aws-sdk/client-sns'
import type { LocalCloud } from 'lineclear/local'

/** A queue, standard or FIFO, with a visibility timeout of 30 s, and a topic of its own with raw delivery to it. */
export interface Place {
  send(message?: Partial<SendMessageCommandInput>): Promise<string>
  sendAll(entries: readonly Partial<SendMessageCommandInput>[]): Promise<unknown>
  receive(more?: Partial<ReceiveMessageCommandInput>): Promise<readonly Message[]>
  bodies(more?: Partial<ReceiveMessageCommandInput>): Promise<string>
  remove(receipt: string | undefined): Promise<string>
  removeAll(receipts: readonly (string | undefined)[]): Promise<unknown>
  hide(receipt: string | undefined, seconds: number): Promise<string>
  hideAll(receipts: readonly (string | undefined)[]): Promise<unknown>
  publish(message: Partial<PublishCommandInput>): Promise<string>
  /** Lets seconds pass for the queues. */
  pass(seconds: number): void
  readonly other: string
  urlOf(name: string): Promise<unknown>
}

export interface QueueRule {
  readonly rule: string
  readonly kind?: 'fifo'
  readonly ask: (place: Place) => Promise<unknown>
  readonly answers: unknown
  readonly source: string
  /** What the local cloud answers instead, and why. */
  readonly here?: { readonly answers: unknown; readonly because: string }
}

/** `accepted`, or the name of the error. */
const verdict = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => 'accepted',
    (error: unknown) => (error as Error).name,
  )

interface BatchAnswer {
  readonly Successful?: readonly { readonly Id?: string | undefined }[] | undefined
  readonly Failed?:
    | readonly { readonly Id?: string | undefined; readonly Code?: string | undefined }[]
    | undefined
}
const outcome = async (asked: Promise<BatchAnswer>): Promise<unknown> => {
  const { Successful = [], Failed = [] } = await asked
  return [...Successful.map(({ Id }) => Id), ...Failed.map(({ Id, Code }) => `${Id} ${Code}`)]
}

export function placeIn(
  cloud: LocalCloud,
  name: string,
  other: string,
  pass: (seconds: number) => void,
): Place {
  const QueueUrl = cloud.queueUrl(name)
  const { sqs } = cloud
  const isFifo = name.endsWith('.fifo')
  let sent = 0
  const message = (given: Partial<SendMessageCommandInput> = {}) => {
    sent += 1
    const fifo = isFifo && { MessageGroupId: 'g', MessageDeduplicationId: `${sent}` }
    return { MessageBody: `${sent}`, ...fifo, ...given }
  }
  const receive: Place['receive'] = async (more = {}) => {
    const asked = { QueueUrl, MaxNumberOfMessages: 10, MessageAttributeNames: ['All'], ...more }
    return (await sqs.send(new ReceiveMessageCommand(asked))).Messages ?? []
  }
  const numbered = (receipts: readonly (string | undefined)[]) =>
    receipts.map((ReceiptHandle, at) => ({ Id: `${at}`, ReceiptHandle, VisibilityTimeout: 5 }))
  return {
    other,
    pass,
    send: (given) => verdict(sqs.send(new SendMessageCommand({ QueueUrl, ...message(given) }))),
    sendAll: (entries) =>
      outcome(
        sqs.send(
          new SendMessageBatchCommand({
            QueueUrl,
            Entries: entries.map((each, at) => ({ Id: `${at}`, ...message(each) })),
          }),
        ),
      ),
    receive,
    bodies: async (more) => (await receive(more)).map(({ Body }) => Body).join(),
    remove: (ReceiptHandle) =>
      verdict(sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }))),
    removeAll: (receipts) =>
      outcome(sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries: numbered(receipts) }))),
    hide: (ReceiptHandle, VisibilityTimeout) =>
      verdict(
        sqs.send(
          new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }),
        ),
      ),
    hideAll: (receipts) =>
      outcome(
        sqs.send(
          new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries: numbered(receipts) }),
        ),
      ),
    publish: (given) =>
      verdict(
        cloud.sns.send(
          new PublishCommand({
            TopicArn: cloud.topicArn(name),
            Message: 'x',
            ...given,
          }),
        ),
      ),
    urlOf: async (QueueName) =>
      (await sqs.send(new GetQueueUrlCommand({ QueueName }))).QueueUrl ===
      cloud.queueUrl(QueueName),
  }
}

const AWS = 'docs.aws.amazon.com/AWSSimpleQueueService/latest'
const api = (page: string): string => `${AWS}/APIReference/API_${page}.html`
const FIFO = `${AWS}/SQSDeveloperGuide/FIFO-queues-understanding-logic.html`
/** Its tests marked as validated were recorded on AWS. */
const LOCALSTACK = 'localstack/localstack 4.14.0, tests/aws/services/sqs/test_sqs.py'
const LOCALSTACK_SNS = 'localstack/localstack 4.14.0, tests/aws/services/sns/test_sns.py'

const first = async ({ send, receive }: Place, seconds?: number): Promise<string | undefined> => {
  await send()
  const [message] = await receive({ VisibilityTimeout: seconds })
  return message?.ReceiptHandle
}
const expired = async (place: Place): Promise<string | undefined> => {
  const receipt = await first(place, 1)
  place.pass(2)
  return receipt
}
const INVALID = 'InvalidParameterValue'
const ILLEGAL = 'ReceiptHandleIsInvalid'
const text = (StringValue: string) => ({ a: { DataType: 'String', StringValue } })

/** SNS answers before its queues have the message. */
const ARRIVES = { WaitTimeSeconds: 5 } as const

export const QUEUES: readonly QueueRule[] = [
  // Receipts
  {
    rule: 'a receipt that has expired deletes nothing',
    kind: 'fifo',
    ask: async (place) => [
      await place.remove(await expired(place)),
      (await place.receive()).length,
    ],
    answers: [INVALID, 1],
    source: LOCALSTACK,
  },
  {
    rule: 'neither does one of a batch',
    kind: 'fifo',
    ask: async (place) => place.removeAll([await expired(place)]),
    answers: [`0 ${INVALID}`],
    source: LOCALSTACK,
  },
  {
    rule: 'a receipt that was extended deletes',
    kind: 'fifo',
    ask: async (place) => {
      const receipt = await first(place, 1)
      await place.hide(receipt, 5)
      place.pass(2)
      return place.remove(receipt)
    },
    answers: 'accepted',
    source: LOCALSTACK,
  },
  {
    rule: 'a standard queue deletes by a receipt that has expired',
    ask: async (place) => [
      await place.remove(await expired(place)),
      (await place.receive()).length,
    ],
    answers: ['accepted', 0],
    source: LOCALSTACK,
  },
  {
    rule: 'an old receipt of what was received again deletes nothing',
    ask: async (place) => {
      const receipt = await expired(place)
      await place.receive({ VisibilityTimeout: 1 })
      const removed = await place.remove(receipt)
      place.pass(2)
      return [removed, (await place.receive()).length]
    },
    answers: ['accepted', 1],
    source: api('DeleteMessage'),
  },
  {
    rule: 'a deletion again',
    ask: async (place) => {
      const receipt = await first(place)
      await place.remove(receipt)
      return place.remove(receipt)
    },
    answers: 'accepted',
    source: LOCALSTACK,
  },
  {
    rule: 'a receipt that is none',
    ask: ({ remove }) => remove('garbage'),
    answers: ILLEGAL,
    source: LOCALSTACK,
  },
  {
    rule: 'a receipt of another queue',
    ask: ({ other, remove }) => remove(other),
    answers: ILLEGAL,
    source: api('DeleteMessage'),
  },
  {
    rule: 'a receipt that is none, beside a good one',
    ask: async (place) => place.removeAll([await first(place), 'garbage']),
    answers: ['0', `1 ${ILLEGAL}`],
    source: api('DeleteMessageBatch'),
  },
  // Visibility
  {
    rule: 'hiding by a receipt that is none',
    ask: ({ hide }) => hide('INVALID', 60),
    answers: ILLEGAL,
    source: LOCALSTACK,
  },
  {
    rule: 'hiding what was deleted',
    ask: async (place) => {
      const receipt = await first(place)
      await place.remove(receipt)
      return place.hide(receipt, 42)
    },
    answers: INVALID,
    source: LOCALSTACK,
  },
  {
    rule: 'hiding what is visible again',
    ask: async (place) => [
      await place.hide(await expired(place), 2),
      (await place.receive()).length,
    ],
    answers: ['accepted', 0],
    source: LOCALSTACK,
  },
  {
    rule: 'hiding beyond twelve hours after the receive',
    ask: async (place) => {
      const receipt = await first(place, 60)
      place.pass(10)
      return place.hide(receipt, 43_195)
    },
    answers: INVALID,
    source: api('ChangeMessageVisibility'),
  },
  {
    rule: 'hiding two, one of which is gone',
    ask: async (place) => {
      const gone = await first(place)
      await place.remove(gone)
      return place.hideAll([await first(place), gone])
    },
    answers: ['0', `1 ${INVALID}`],
    source: LOCALSTACK,
  },
  {
    rule: 'a visibility of a receive',
    ask: async (place) => {
      await expired(place)
      return place.bodies()
    },
    answers: '1',
    source: api('ReceiveMessage'),
  },
  {
    rule: 'a visibility of 0 gives each message once',
    kind: 'fifo',
    ask: async ({ send, bodies }) => {
      for (const MessageGroupId of ['1', '2', '2', '3', '1']) await send({ MessageGroupId })
      return bodies({ MaxNumberOfMessages: 3, VisibilityTimeout: 0 })
    },
    answers: '1,5,2',
    source: LOCALSTACK,
  },
  // Groups
  {
    rule: 'a group of which one message is deleted stays locked',
    kind: 'fifo',
    ask: async ({ send, receive, remove, bodies }) => {
      for (const MessageGroupId of ['1', '2', '1', '2', '1', '3']) await send({ MessageGroupId })
      const [message] = await receive({ MaxNumberOfMessages: 2 })
      await remove(message?.ReceiptHandle)
      return bodies()
    },
    answers: '2,4,6',
    source: LOCALSTACK,
  },
  {
    rule: 'a group whose message is back comes without what is still hidden',
    kind: 'fifo',
    ask: async ({ send, receive, hide, bodies }) => {
      for (const MessageGroupId of ['1', '1', '2']) await send({ MessageGroupId })
      const [message] = await receive({ MaxNumberOfMessages: 2 })
      await hide(message?.ReceiptHandle, 0)
      return (await bodies()).split(',').toSorted().join()
    },
    answers: '1,3',
    source: LOCALSTACK,
    here: {
      answers: '3',
      because:
        'a group is locked until all of it is back or deleted, as AWS’s page on FIFO queues says',
    },
  },
  {
    rule: 'as many of one group as possible',
    kind: 'fifo',
    ask: async ({ send, bodies }) => {
      for (const MessageGroupId of ['1', '2', '1']) await send({ MessageGroupId })
      return bodies({ MaxNumberOfMessages: 2 })
    },
    answers: '1,3',
    source: FIFO,
  },
  {
    rule: 'one id in two groups',
    kind: 'fifo',
    ask: async ({ send, bodies }) => {
      await send({ MessageDeduplicationId: 'd', MessageGroupId: '1' })
      await send({ MessageDeduplicationId: 'd', MessageGroupId: '2' })
      return bodies()
    },
    answers: '1',
    source: LOCALSTACK,
  },
  ...['', ' d', 'x'.repeat(129)].map((MessageDeduplicationId): QueueRule => ({
    rule: `the deduplication id ${JSON.stringify(MessageDeduplicationId)}`,
    kind: 'fifo',
    ask: ({ send }) => send({ MessageDeduplicationId }),
    answers: INVALID,
    source: LOCALSTACK,
  })),
  ...['', 'group 123', 'x'.repeat(129)].map((MessageGroupId): QueueRule => ({
    rule: `the group ${JSON.stringify(MessageGroupId)} of a standard queue`,
    ask: ({ send }) => send({ MessageGroupId }),
    answers: INVALID,
    source: LOCALSTACK,
  })),
  {
    rule: 'no group',
    kind: 'fifo',
    ask: ({ send }) => send({ MessageGroupId: undefined }),
    answers: 'MissingParameter',
    source: LOCALSTACK,
  },
  {
    rule: 'no deduplication id',
    kind: 'fifo',
    ask: ({ send }) => send({ MessageDeduplicationId: undefined }),
    answers: INVALID,
    source: LOCALSTACK,
  },
  {
    rule: 'a delay of a message',
    kind: 'fifo',
    ask: ({ send }) => send({ DelaySeconds: 2 }),
    answers: INVALID,
    source: LOCALSTACK,
  },
  {
    rule: 'a delay of 0',
    kind: 'fifo',
    ask: ({ send }) => send({ DelaySeconds: 0 }),
    answers: 'accepted',
    source: LOCALSTACK,
  },
  // Messages
  {
    rule: '1 MiB',
    ask: ({ send }) => send({ MessageBody: 'a'.repeat(1_048_576) }),
    answers: 'accepted',
    source: LOCALSTACK,
  },
  {
    rule: '1 MiB and an attribute',
    ask: ({ send }) => send({ MessageBody: 'a'.repeat(1_048_576), MessageAttributes: text('x') }),
    answers: INVALID,
    source: LOCALSTACK,
  },
  {
    rule: 'a batch above 1 MiB',
    ask: ({ sendAll }) =>
      verdict(sendAll(Array.from({ length: 3 }, () => ({ MessageBody: 'a'.repeat(400_000) })))),
    answers: 'BatchRequestTooLong',
    source: LOCALSTACK,
  },
  {
    rule: 'eleven entries',
    ask: ({ sendAll }) => verdict(sendAll(Array.from({ length: 11 }, () => ({})))),
    answers: 'TooManyEntriesInBatchRequest',
    source: LOCALSTACK,
  },
  {
    rule: 'no entry',
    ask: ({ sendAll }) => verdict(sendAll([])),
    answers: 'EmptyBatchRequest',
    source: LOCALSTACK,
  },
  {
    rule: 'a control character, beside a good message',
    ask: ({ sendAll }) => sendAll([{}, { MessageBody: '\u0001' }]),
    answers: ['0', '1 InvalidMessageContents'],
    source: LOCALSTACK,
  },
  {
    rule: 'an empty attribute',
    ask: ({ send }) => send({ MessageAttributes: text('') }),
    answers: INVALID,
    source: LOCALSTACK,
  },
  {
    rule: 'attributes by the start of their names',
    ask: async ({ send, receive }) => {
      const [{ a }] = [text('x')]
      await send({ MessageAttributes: { 'Help.Me': a, Hello: a, General: a } })
      const [message] = await receive({ MessageAttributeNames: ['Hel.*'] })
      return Object.keys(message?.MessageAttributes ?? {})
        .toSorted()
        .join()
    },
    answers: 'Hello,Help.Me',
    source: LOCALSTACK,
    here: { answers: '', because: 'fauxqs ends the start of a name with a point' },
  },
  ...[0, 11].map((MaxNumberOfMessages): QueueRule => ({
    rule: `${MaxNumberOfMessages} messages at once`,
    ask: ({ receive }) => verdict(receive({ MaxNumberOfMessages })),
    answers: INVALID,
    source: LOCALSTACK,
  })),
  {
    rule: 'the URL of a queue',
    ask: ({ urlOf }) => urlOf('else'),
    answers: true,
    source: api('GetQueueUrl'),
  },
  {
    rule: 'the URL of a queue that is not there',
    ask: ({ urlOf }) => verdict(urlOf('other')),
    answers: 'QueueDoesNotExist',
    source: LOCALSTACK,
  },
  // Topics
  {
    rule: 'a text for SQS among others',
    ask: async ({ publish, bodies }) => [
      await publish({ MessageStructure: 'json', Message: '{"default":"d","sqs":"q"}' }),
      await bodies(ARRIVES),
    ],
    answers: ['accepted', 'q'],
    source: LOCALSTACK_SNS,
  },
  {
    rule: 'no text for SQS, but an object',
    ask: async ({ publish, bodies }) => [
      await publish({ MessageStructure: 'json', Message: '{"default":"d","sqs":{"a":1}}' }),
      await bodies(ARRIVES),
    ],
    answers: ['accepted', 'd'],
    source: LOCALSTACK_SNS,
  },
  ...['{"sqs":"q"}', '{"default":"d"} }', '{"default":{"a":1}}'].map((Message): QueueRule => ({
    rule: `the texts ${Message}`,
    ask: ({ publish }) => publish({ MessageStructure: 'json', Message }),
    answers: 'InvalidParameterException',
    source: LOCALSTACK_SNS,
  })),
  {
    rule: 'an empty message',
    ask: ({ publish }) => publish({ Message: '' }),
    answers: 'InvalidParameterException',
    source: LOCALSTACK_SNS,
  },
  {
    rule: 'an empty subject',
    ask: ({ publish }) => publish({ Subject: '' }),
    answers: 'InvalidParameterException',
    source: LOCALSTACK_SNS,
  },
  {
    rule: '256 KiB and a byte',
    ask: ({ publish }) => publish({ Message: 'a'.repeat(262_145) }),
    answers: 'InvalidParameterException',
    source: LOCALSTACK_SNS,
  },
  {
    rule: 'a message without a group',
    kind: 'fifo',
    ask: ({ publish }) => publish({}),
    answers: 'InvalidParameterException',
    source: LOCALSTACK_SNS,
  },
  {
    rule: 'a message that nothing identifies',
    kind: 'fifo',
    ask: ({ publish }) => publish({ MessageGroupId: 'g' }),
    answers: 'InvalidParameterException',
    source: LOCALSTACK_SNS,
  },
]
