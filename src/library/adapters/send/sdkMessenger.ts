import * as SNS from '../../base/limits/sns.ts'
import * as SQS from '../../base/limits/sqs.ts'
import type { EventBridgeClient } from '@aws-sdk/client-eventbridge'
import type { SNSClient } from '@aws-sdk/client-sns'
import type { SQSClient } from '@aws-sdk/client-sqs'
import { sizeOf } from '../../protocol/record/envelope/buildMessage.ts'
import { ConfigError, messageOf, toError } from '../../base/errors.ts'
import { lazily, perEnvironment } from '../../base/lazily.ts'
import {
  storePayloads,
  type HideRequest,
  type Messenger,
  type QueueMessage,
  type SendAnswer,
  type Sender,
  type Clients,
} from '../../protocol/send/messenger.ts'
import { answersOf, type BatchLimits, inBatches, type Numbered, outcomesOf } from './batches.ts'
import { BUS_LIMITS, byId, eventBytes, isBus, putEventsInput } from './eventBus.ts'
import { inTime, CALL_TIMES } from '../../base/inTime.ts'
import { deadLetterTargetOf, isFifo } from '../../protocol/send/queueUrl.ts'
import { queueUrlFor } from './queueHost.ts'

const SQS_LIMITS: BatchLimits = { batchEntries: SQS.batchEntries, batchBytes: SQS.batchBytes }
const SNS_LIMITS: BatchLimits = { batchEntries: SNS.batchEntries, batchBytes: SNS.batchBytes }

export interface MessengerClients extends Clients {
  /** The store is in memory, so no client is made here. */
  readonly inMemory?: boolean | undefined
}

/** Calls SQS, SNS and EventBridge with the clients of the SDK, which it loads and makes at the first message. */
export function sdkMessenger(clients: MessengerClients): Messenger & Sender {
  const { sns, eventBridge, onQueue, assertReached } = openClients(clients)
  const send: Send = (queue, messages, over) => {
    const call = (numbered: readonly Numbered<QueueMessage>[]) =>
      onQueue(queue, over, ({ sdk, client, QueueUrl }, options) => {
        const Entries = numbered.map(sqsEntry)
        return client.send(new sdk.SendMessageBatchCommand({ QueueUrl, Entries }), options)
      })
    return answersOf(messages, sizeOf, SQS_LIMITS, call, isFifo(queue))
  }
  const putEvents: Send = (bus, messages, over) => {
    const call = async (numbered: readonly Numbered<QueueMessage>[]) => {
      const { sdk, client } = await eventBridge()
      const command = new sdk.PutEventsCommand(putEventsInput(bus, numbered))
      return byId(numbered, await called(over, (options) => client.send(command, options)))
    }
    return answersOf(messages, eventBytes, BUS_LIMITS, call)
  }
  const publish: Send = (TopicArn, messages, over) => {
    if (isBus(TopicArn)) return putEvents(TopicArn, messages, over)
    const call = async (numbered: readonly Numbered<QueueMessage>[]) => {
      const { sdk, client } = await sns()
      const PublishBatchRequestEntries = numbered.map(snsEntry)
      const command = new sdk.PublishBatchCommand({ TopicArn, PublishBatchRequestEntries })
      return called(over, (options) => client.send(command, options))
    }
    return answersOf(messages, sizeOf, SNS_LIMITS, call, isFifo(TopicArn))
  }
  const routes = { send: storedFirst(send), publish: storedFirst(publish) }
  return {
    deliver: (route, target, messages, over) => routes[route](target, messages, over),
    send: async (...given) => outcomesOf(await routes.send(...given)),
    publish: async (...given) => outcomesOf(await routes.publish(...given)),
    hide: (queue, messages, over) =>
      inBatches(messages.map(hideEntry), noBytes, SQS_LIMITS, (entries) =>
        onQueue(queue, over, ({ sdk, client, QueueUrl }, options) => {
          const input = { QueueUrl, Entries: [...entries] }
          return client.send(new sdk.ChangeMessageVisibilityBatchCommand(input), options)
        }),
      ),
    remove: (queue, receiptHandles, over) =>
      inBatches(receiptHandles.map(removeEntry), noBytes, SQS_LIMITS, (entries) =>
        onQueue(queue, over, ({ sdk, client, QueueUrl }, options) => {
          const input = { QueueUrl, Entries: [...entries] }
          return client.send(new sdk.DeleteMessageBatchCommand(input), options)
        }),
      ),
    deadLetterQueueOf: (queue, over) =>
      onQueue(queue, over, async ({ sdk, client, QueueUrl }, options) => {
        const input = { QueueUrl, AttributeNames: ['RedrivePolicy' as const] }
        const { Attributes } = await client.send(new sdk.GetQueueAttributesCommand(input), options)
        return deadLetterTargetOf(Attributes?.['RedrivePolicy'], QueueUrl)
      }),
    assertReached,
  }
}

interface SqsQueue {
  readonly sdk: SqsSdk
  readonly client: SQSClient
  readonly QueueUrl: string
}
type CallOptions = Parameters<Parameters<typeof inTime>[1]>[0]

function openClients(given: MessengerClients) {
  let unreachable: ConfigError | undefined
  const made = <Client>(name: keyof typeof CALLS, make: () => Client): Client => {
    if (given.inMemory !== true) return make()
    unreachable ??= noClient(name)
    throw unreachable
  }
  const sqs = lazily(async () => {
    const sdk = await sqsSdk()
    return { sdk, client: given.sqs ?? made('sqs', () => defaultSqs(sdk)) }
  })
  const sns = lazily(async () => {
    const sdk = await snsSdk()
    return {
      sdk,
      // Any client of SNS answers this command as the SDK types it.
      client: (given.sns as SNSClient | undefined) ?? made('sns', () => defaultSns(sdk)),
    }
  })
  const eventBridge = lazily(async () => {
    const sdk = await eventBridgeSdk()
    const own = given.eventBridge as EventBridgeClient | undefined
    return { sdk, client: own ?? made('eventBridge', () => defaultEventBridge(sdk)) }
  })
  return {
    sns,
    eventBridge,
    async onQueue<Answer>(
      queue: string,
      over: AbortSignal | undefined,
      call: (at: SqsQueue, options: CallOptions) => Promise<Answer>,
    ): Promise<Answer> {
      const { sdk, client } = await sqs()
      const QueueUrl = await queueUrlFor(queue, client)
      return called(over, (options) => call({ sdk, client, QueueUrl }, options))
    },
    assertReached(): void {
      if (unreachable !== undefined) throw unreachable
    },
  }
}

/** As `inTime`. The SDK says by the text of an error only that its client has no Region. */
const called: typeof inTime = (over, call) =>
  inTime(over, call).catch((error: unknown) => {
    // @protects a message without a Region is certainly not sent
    // @without its else
    throw /Region is missing/.test(messageOf(error))
      ? new ConfigError(NO_REGION, { cause: error })
      : error
  })

const NO_REGION =
  'the client of SQS, SNS or EventBridge has no Region, so no call was made: set AWS_REGION, or give it one'

const CALLS = {
  sqs: ['SQS', 'sends, re-sends or dead-letters a message'],
  sns: ['SNS', 'publishes a message'],
  eventBridge: ['EventBridge', 'publishes an event'],
} as const

function noClient(name: keyof typeof CALLS): ConfigError {
  const [service, asks] = CALLS[name]
  return new ConfigError(
    `clients.${name}: expected a client, since this ${asks} and its store is memoryStore(); got nothing. No call to ${service} was made. ` +
      `In a unit test pass \`clients\` of memoryCloud({ queues, topics, buses }) from lineclear/testing.`,
  )
}

type Send = (
  target: string,
  messages: readonly QueueMessage[],
  over?: AbortSignal,
) => Promise<readonly SendAnswer[]>

/** If one payload is not stored, no message of the call is sent, so that the order of a FIFO queue holds. */
function storedFirst(send: Send): Send {
  return async (target, messages, over) => {
    try {
      // @protects a payload is stored before its message is sent
      // @tests test/features/payloads/recordHandler
      await storePayloads(messages)
    } catch (error) {
      return messages.map(() => toError(error))
    }
    return send(target, messages, over)
  }
}

/** Gives AWS_ENDPOINT_URL_SQS precedence over the host in the queue's URL, which the SDK prefers by default. */
const SQS_DEFAULTS = {
  useQueueUrlAsEndpoint: false,
  requestHandler: CALL_TIMES,
  // Where the rules of FIPS apply there is no MD5, and the client would throw. TLS protects the body as well.
  md5: false,
} as const

const defaultSqs = perEnvironment((sdk: SqsSdk) => new sdk.SQSClient(SQS_DEFAULTS))
const defaultSns = perEnvironment(
  (sdk: SnsSdk) => new sdk.SNSClient({ requestHandler: CALL_TIMES }),
)
const defaultEventBridge = perEnvironment(
  (sdk: EventBridgeSdk) => new sdk.EventBridgeClient({ requestHandler: CALL_TIMES }),
)

function sqsEntry(message: Numbered<QueueMessage>) {
  const { traceHeader, delaySeconds } = message
  const AWSTraceHeader = { DataType: 'String', StringValue: traceHeader }
  return {
    MessageBody: message.body,
    ...sharedFields(message),
    ...(traceHeader !== undefined && { MessageSystemAttributes: { AWSTraceHeader } }),
    ...(delaySeconds !== undefined && { DelaySeconds: delaySeconds }),
  }
}

function snsEntry(message: Numbered<QueueMessage>) {
  return { Message: message.body, ...sharedFields(message) }
}

function sharedFields({ Id, attributes, groupId, deduplicationId }: Numbered<QueueMessage>) {
  return {
    Id,
    MessageAttributes: attributes,
    ...(groupId !== undefined && { MessageGroupId: groupId }),
    ...(deduplicationId !== undefined && { MessageDeduplicationId: deduplicationId }),
  }
}

function hideEntry({ receiptHandle, seconds }: HideRequest) {
  return { ReceiptHandle: receiptHandle, VisibilityTimeout: seconds }
}

function removeEntry(ReceiptHandle: string) {
  return { ReceiptHandle }
}

function noBytes(): number {
  return 0
}

export type SqsSdk = typeof import('@aws-sdk/client-sqs')
export type SnsSdk = typeof import('@aws-sdk/client-sns')
export type EventBridgeSdk = typeof import('@aws-sdk/client-eventbridge')

/** Loaded at the first message, so that a consumer that sends nothing does not pay for its start-up. */
export const sqsSdk: () => Promise<SqsSdk> = lazily(() => import('@aws-sdk/client-sqs'))
export const snsSdk: () => Promise<SnsSdk> = lazily(async () => {
  try {
    return await import('@aws-sdk/client-sns')
  } catch (error) {
    throw notInstalled('@aws-sdk/client-sns', error)
  }
})
export const eventBridgeSdk: () => Promise<EventBridgeSdk> = lazily(async () => {
  try {
    return await import('@aws-sdk/client-eventbridge')
  } catch (error) {
    throw notInstalled('@aws-sdk/client-eventbridge', error)
  }
})

/**
 * An optional peer dependency. Inside `try`, esbuild leaves the import of a missing package as it is; elsewhere it would refuse to
 * bundle a function that never publishes.
 */
function notInstalled(name: string, cause: unknown): ConfigError {
  return new ConfigError(
    `ctx.publish: the package ${name} cannot be loaded; nothing was published. Run \`npm install ${name}\` and bundle the function again.`,
    { cause },
  )
}
