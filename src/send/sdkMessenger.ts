import * as SNS from '../base/limits/sns.ts'
import * as SQS from '../base/limits/sqs.ts'
import type { SNSClient } from '@aws-sdk/client-sns'
import type { SQSClient } from '@aws-sdk/client-sqs'
import { sizeOf } from '../record/envelope/buildMessage.ts'
import { ConfigError, messageOf, toError } from '../base/errors.ts'
import { lazily, perEnvironment } from '../base/lazily.ts'
import {
  storePayloads,
  type HideRequest,
  type Messenger,
  type QueueMessage,
  type SendAnswer,
  type Sender,
  type SnsClient,
} from './messenger.ts'
import { answersOf, type BatchLimits, inBatches, type Numbered, outcomesOf } from './batches.ts'
import { inTime, CALL_TIMES } from './timeouts.ts'
import { deadLetterTargetOf, isFifo, queueUrlFor } from './queueUrl.ts'

const SQS_LIMITS: BatchLimits = { batchEntries: SQS.batchEntries, batchBytes: SQS.batchBytes }
const SNS_LIMITS: BatchLimits = { batchEntries: SNS.batchEntries, batchBytes: SNS.batchBytes }

export interface MessengerClients {
  readonly sqs?: SQSClient | undefined
  readonly sns?: SnsClient | undefined
  /** The store is in memory, so no client is made here. */
  readonly inMemory?: boolean | undefined
}

/** Calls SQS and SNS with the clients of the SDK, which it loads and makes at the first message. */
export function sdkMessenger(clients: MessengerClients): Messenger & Sender {
  let unreachable: ConfigError | undefined
  const made = <Client>(name: 'sqs' | 'sns', make: () => Client): Client => {
    if (clients.inMemory !== true) return make()
    unreachable ??= noClient(name)
    throw unreachable
  }
  const sqs = lazily(async () => {
    const sdk = await sqsSdk()
    return { sdk, client: clients.sqs ?? made('sqs', () => defaultSqs(sdk)) }
  })
  const sns = lazily(async () => {
    const sdk = await snsSdk()
    return {
      sdk,
      // Any client of SNS answers this command as the SDK types it.
      client: (clients.sns as SNSClient | undefined) ?? made('sns', () => defaultSns(sdk)),
    }
  })
  const queueAt = async (queue: string) => {
    const { sdk, client } = await sqs()
    return { sdk, client, QueueUrl: await queueUrlFor(queue, client) }
  }
  const send: Send = (queue, messages, over) => {
    const call = async (numbered: readonly Numbered<QueueMessage>[]) => {
      const { sdk, client, QueueUrl } = await queueAt(queue)
      const Entries = numbered.map(sqsEntry)
      const command = new sdk.SendMessageBatchCommand({ QueueUrl, Entries })
      return called(over, (options) => client.send(command, options))
    }
    return answersOf(messages, sizeOf, SQS_LIMITS, call, isFifo(queue))
  }
  const publish: Send = (TopicArn, messages, over) => {
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
      inBatches(messages.map(hideEntry), noBytes, SQS_LIMITS, async (Entries) => {
        const { sdk, client, QueueUrl } = await queueAt(queue)
        const input = { QueueUrl, Entries: [...Entries] }
        const command = new sdk.ChangeMessageVisibilityBatchCommand(input)
        return called(over, (options) => client.send(command, options))
      }),
    remove: (queue, receiptHandles, over) =>
      inBatches(receiptHandles.map(removeEntry), noBytes, SQS_LIMITS, async (Entries) => {
        const { sdk, client, QueueUrl } = await queueAt(queue)
        const command = new sdk.DeleteMessageBatchCommand({ QueueUrl, Entries: [...Entries] })
        return called(over, (options) => client.send(command, options))
      }),
    async deadLetterQueueOf(queue, over) {
      const { sdk, client, QueueUrl } = await queueAt(queue)
      const input = { QueueUrl, AttributeNames: ['RedrivePolicy' as const] }
      const command = new sdk.GetQueueAttributesCommand(input)
      const { Attributes } = await called(over, (options) => client.send(command, options))
      return deadLetterTargetOf(Attributes?.['RedrivePolicy'], QueueUrl)
    },
    assertReached() {
      if (unreachable !== undefined) throw unreachable
    },
  }
}

/** As `inTime`. The SDK says by the text of an error only that its client has no Region. */
const called: typeof inTime = (over, call) =>
  inTime(over, call).catch((error: unknown) => {
    throw /Region is missing/.test(messageOf(error))
      ? new ConfigError(NO_REGION, { cause: error })
      : error
  })

const NO_REGION =
  'the client of SQS or SNS has no Region, so no call was made: set AWS_REGION, or give it one'

function noClient(name: 'sqs' | 'sns'): ConfigError {
  const [service, asks] =
    name === 'sqs'
      ? ['SQS', 'sends, re-sends or dead-letters a message']
      : ['SNS', 'publishes a message']
  return new ConfigError(
    `${name}: expected a client, since this ${asks} and its store is memoryStore(); got nothing. No call to ${service} was made. ` +
      `In a unit test pass \`${name}\` of memoryCloud({ queues, topics }) from lineclear/testing.`,
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
      await storePayloads(messages)
    } catch (error) {
      return messages.map(() => toError(error))
    }
    return send(target, messages, over)
  }
}

/** Gives AWS_ENDPOINT_URL_SQS precedence over the host in the queue's URL, which the SDK prefers by default. */
const SQS_DEFAULTS = { useQueueUrlAsEndpoint: false, requestHandler: CALL_TIMES }

const defaultSqs = perEnvironment((sdk: SqsSdk) => new sdk.SQSClient(SQS_DEFAULTS))
const defaultSns = perEnvironment(
  (sdk: SnsSdk) => new sdk.SNSClient({ requestHandler: CALL_TIMES }),
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

/** Loaded at the first message, so that a consumer that sends nothing does not pay for its start-up. */
export const sqsSdk: () => Promise<SqsSdk> = lazily(() => import('@aws-sdk/client-sqs'))
export const snsSdk: () => Promise<SnsSdk> = lazily(loadSns)

/**
 * Loads an optional peer dependency. Inside `try`, esbuild leaves the import of a missing package as it is; elsewhere it would
 * refuse to bundle a function that never publishes.
 */
async function loadSns(): Promise<SnsSdk> {
  try {
    return await import('@aws-sdk/client-sns')
  } catch (error) {
    throw new ConfigError(
      'ctx.publish: the package @aws-sdk/client-sns cannot be loaded; nothing was published. ' +
        'Run `npm install @aws-sdk/client-sns` and bundle the function again.',
      { cause: error },
    )
  }
}
