import type { MessageAttributeValue, SQSClient } from '@aws-sdk/client-sqs'
import type { SNSClient } from '@aws-sdk/client-sns'
import type { Outbound } from '../../queue/messenger.ts'
import { callThrowing } from './answers.ts'
import { type Lab, queueOf } from './lab.ts'
import { deadLettersOf, isDeadLetters, isFifo, nameIn, queueArnOf } from './places.ts'
import { hide, put, remove } from './sqs.ts'
import type { Actor, CallFault } from './world.ts'

const SEND: readonly CallFault[] = [
  'request lost',
  'answer lost',
  'repeated',
  'killed before',
  'killed on the wire',
]
const CHANGE: readonly CallFault[] = ['request lost', 'killed before', 'killed on the wire']

/** Of a command for one message, or of one in a batch. */
export interface Entry {
  readonly Id?: string
  readonly MessageBody?: string
  readonly Message?: string
  readonly MessageAttributes?: Readonly<Record<string, MessageAttributeValue>>
  readonly DelaySeconds?: number
  readonly MessageGroupId?: string
  readonly MessageDeduplicationId?: string
  readonly ReceiptHandle?: string
  readonly VisibilityTimeout?: number
}

interface Command {
  readonly input: Entry & {
    readonly QueueUrl?: string
    readonly TopicArn?: string
    readonly Entries?: readonly Entry[]
    readonly PublishBatchRequestEntries?: readonly Entry[]
  }
}

/** SQS and SNS as one invocation sees them: the commands that the framework, and most handlers, send. */
export function messagingOf(
  lab: Lab,
  actor: Actor,
): { readonly sqs: SQSClient; readonly sns: SNSClient } {
  const send = async (command: Command): Promise<unknown> => {
    const { input } = command
    const place = nameIn(input.QueueUrl ?? input.TopicArn ?? '')
    const entries = input.Entries ?? input.PublishBatchRequestEntries ?? [input]
    const run = COMMANDS[command.constructor.name]
    if (run === undefined) throw new Error(`${command.constructor.name} is not modelled`)
    return run({ lab, actor, place, entries })
  }
  // Only what is sent by these commands is modelled; anything else says so.
  return { sqs: { send } as unknown as SQSClient, sns: { send } as unknown as SNSClient }
}

interface Asked {
  readonly lab: Lab
  readonly actor: Actor
  readonly place: string
  readonly entries: readonly Entry[]
}

const COMMANDS: Readonly<Record<string, (asked: Asked) => Promise<unknown>>> = {
  SendMessageCommand: sendAll,
  SendMessageBatchCommand: sendAll,
  PublishCommand: sendAll,
  PublishBatchCommand: sendAll,
  ChangeMessageVisibilityCommand: hideAll,
  ChangeMessageVisibilityBatchCommand: hideAll,
  DeleteMessageCommand: removeAll,
  DeleteMessageBatchCommand: removeAll,
  GetQueueAttributesCommand: async ({ place }) => ({
    Attributes: {
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn: queueArnOf(deadLettersOf(place)) }),
    },
  }),
}

function sendAll({ lab, actor, place, entries }: Asked): Promise<unknown> {
  return callThrowing(lab, actor, {
    what: isDeadLetters(place) ? 'sends a dead letter' : `sends to ${place}`,
    apply: () => {
      if (isFifo(place)) checkOrder(entries)
      for (const entry of entries) put(queueOf(lab, place), outbound(entry), lab.world.now)
      return answerTo(entries)
    },
    faults: SEND,
  })
}

function hideAll({ lab, actor, place, entries }: Asked): Promise<unknown> {
  return callThrowing(lab, actor, {
    what: `hides its message for ${entries[0]?.VisibilityTimeout ?? 0} s`,
    apply: () => {
      for (const { ReceiptHandle = '', VisibilityTimeout = 0 } of entries) {
        hide(queueOf(lab, place), ReceiptHandle, lab.world.now + VisibilityTimeout * 1_000)
      }
      return answerTo(entries)
    },
    faults: CHANGE,
  })
}

function removeAll({ lab, actor, place, entries }: Asked): Promise<unknown> {
  return callThrowing(lab, actor, {
    what: 'deletes its message',
    apply: () => {
      for (const { ReceiptHandle = '' } of entries) remove(queueOf(lab, place), ReceiptHandle)
      return answerTo(entries)
    },
    faults: CHANGE,
  })
}

export function outbound({
  MessageBody,
  Message = '',
  MessageAttributes = {},
  DelaySeconds,
  MessageGroupId,
  MessageDeduplicationId,
}: Entry): Outbound {
  const attributes = Object.fromEntries(
    Object.entries(MessageAttributes).map(([name, { StringValue = '' }]) => [
      name,
      { DataType: 'String', StringValue },
    ]),
  )
  return {
    body: MessageBody ?? Message,
    attributes,
    ...(DelaySeconds !== undefined && { delaySeconds: DelaySeconds }),
    ...(MessageGroupId !== undefined && { groupId: MessageGroupId }),
    ...(MessageDeduplicationId !== undefined && { deduplicationId: MessageDeduplicationId }),
  }
}

/** As SQS refuses what a FIFO queue cannot take. */
function checkOrder(entries: readonly Entry[]): void {
  for (const { MessageGroupId, DelaySeconds = 0 } of entries) {
    if (MessageGroupId === undefined) throw refused('MissingParameter', 'MessageGroupId is missing')
    if (DelaySeconds > 0) throw refused('InvalidParameterValue', 'DelaySeconds is of the queue')
  }
}

function refused(name: string, message: string): Error {
  return Object.assign(new Error(message), { name, $fault: 'client' })
}

function answerTo(entries: readonly Entry[]): unknown {
  const Successful = entries.map(({ Id }) => ({ Id, MessageId: 'sent' }))
  return { MessageId: 'sent', Successful, Failed: [] }
}
