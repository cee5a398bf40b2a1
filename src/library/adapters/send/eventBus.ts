import * as EVENT_BRIDGE from '../../base/limits/eventBridge.ts'
import type { PutEventsCommandInput, PutEventsCommandOutput } from '@aws-sdk/client-eventbridge'
import { sizeOf } from '../../protocol/record/envelope/buildMessage.ts'
import { toResources } from '../../protocol/record/envelope/eventStamp.ts'
import type { BatchAnswer, BatchLimits, Numbered } from './batches.ts'
import type { QueueMessage } from '../../protocol/send/messenger.ts'

export const BUS_LIMITS: BatchLimits = {
  batchEntries: EVENT_BRIDGE.batchEntries,
  batchBytes: EVENT_BRIDGE.batchBytes,
}

const BUS_ARN = /^arn:[^:]+:events:[^:]*:[^:]*:event-bus\/.+$/

export function isBus(target: string): boolean {
  return BUS_ARN.test(target)
}

/** A little more than EventBridge counts. */
export function eventBytes(message: QueueMessage): number {
  const { source = '', detailType = '' } = message.event ?? {}
  return sizeOf(message) + Buffer.byteLength(source + detailType)
}

export function putEventsInput(
  EventBusName: string,
  messages: readonly QueueMessage[],
): PutEventsCommandInput {
  return {
    Entries: messages.map((message) => ({
      EventBusName,
      Source: message.event?.source,
      DetailType: message.event?.detailType,
      Detail: message.body,
      Resources: toResources(message),
    })),
  }
}

/** EventBridge answers by the order of the entries, SQS and SNS by their ids. */
export function byId(
  entries: readonly Numbered<QueueMessage>[],
  { Entries = [] }: PutEventsCommandOutput,
): BatchAnswer {
  const answers = entries.map(({ Id }, index) => ({ Id, ...Entries[index] }))
  return {
    Successful: answers.flatMap(({ Id, EventId }) => (EventId ? [{ Id, MessageId: EventId }] : [])),
    Failed: answers.flatMap(({ Id, ErrorCode, ErrorMessage }) =>
      ErrorCode ? [{ Id, Code: ErrorCode, Message: ErrorMessage }] : [],
    ),
  }
}
