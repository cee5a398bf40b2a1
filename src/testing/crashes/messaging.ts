import type { SQSClient } from '@aws-sdk/client-sqs'
import type { SNSClient } from '@aws-sdk/client-sns'
import type { Outbound } from '../../queue/messenger.ts'
import { callThrowing } from './answers.ts'
import { type Lab, queueOf } from './lab.ts'
import { reasonOf } from './redrive.ts'
import { deadLettersOf, isDeadLetters, nameIn, queueArnOf } from './places.ts'
import {
  type Entry,
  type Refusal,
  refuseBatch,
  refuseMessage,
  refuseVisibility,
  type Service,
  toError,
} from './refusals.ts'
import { isEffect, type Received, sendingOf } from './sent.ts'
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
  received: Received,
): { readonly sqs: SQSClient; readonly sns: SNSClient } {
  const send = async (command: Command): Promise<unknown> => {
    const { input } = command
    const place = nameIn(input.QueueUrl ?? input.TopicArn ?? '')
    const service = input.TopicArn === undefined ? 'SQS' : 'SNS'
    const batch = input.Entries ?? input.PublishBatchRequestEntries
    const [entries, isBatch] = [batch ?? [input], batch !== undefined]
    const run = COMMANDS[command.constructor.name]
    if (run === undefined) throw new Error(`${command.constructor.name} is not modelled`)
    return run({ lab, actor, received, service, place, entries, isBatch })
  }
  // Only what is sent by these commands is modelled; anything else says so.
  return { sqs: { send } as unknown as SQSClient, sns: { send } as unknown as SNSClient }
}

interface Asked {
  readonly lab: Lab
  readonly actor: Actor
  readonly received: Received
  readonly service: Service
  readonly place: string
  readonly entries: readonly Entry[]
  readonly isBatch: boolean
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

function sendAll(asked: Asked): Promise<unknown> {
  const { lab, actor, received, service, place } = asked
  return callThrowing(lab, actor, {
    what: whatOf(asked),
    apply: () =>
      answerEach(asked, (entry) => {
        const refused = refuseMessage(service, place, entry)
        if (refused === undefined) accept(lab, received, place, outbound(entry))
        return refused
      }),
    faults: SEND,
  })
}

/** A dead letter tells why. */
function whatOf({ place, entries: [entry] }: Asked): string {
  if (!isDeadLetters(place)) return `sends to ${place}`
  return entry === undefined
    ? 'sends a dead letter'
    : `sends a dead letter (${reasonOf(outbound(entry))})`
}

function accept(lab: Lab, received: Received, place: string, message: Outbound): void {
  const { world, sendings, terms } = lab
  const letter = put(queueOf(lab, place), message, world.now)
  if (!isEffect(place, message, received, world.now)) return
  // A FIFO queue that knows the deduplication id has put nothing on it: what came is told all the same.
  sendings.push(sendingOf(place, { ...letter, message }, terms.ignore))
}

function hideAll(asked: Asked): Promise<unknown> {
  const { lab, actor, place, entries } = asked
  return callThrowing(lab, actor, {
    what: `hides its message for ${entries[0]?.VisibilityTimeout ?? 0} s`,
    apply: () =>
      answerEach(asked, (entry) => {
        const { ReceiptHandle = '', VisibilityTimeout = 0 } = entry
        const refused = refuseVisibility(entry)
        const until = lab.world.now + VisibilityTimeout * 1_000
        if (refused === undefined) hide(queueOf(lab, place), ReceiptHandle, until)
        return refused
      }),
    faults: CHANGE,
  })
}

function removeAll(asked: Asked): Promise<unknown> {
  const { lab, actor, place } = asked
  return callThrowing(lab, actor, {
    what: 'deletes its message',
    apply: () =>
      answerEach(asked, ({ ReceiptHandle = '' }) => {
        remove(queueOf(lab, place), ReceiptHandle)
        return undefined
      }),
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
  MessageSystemAttributes,
}: Entry): Outbound {
  const attributes = Object.fromEntries(
    Object.entries(MessageAttributes).map(([name, { StringValue = '' }]) => [
      name,
      { DataType: 'String', StringValue },
    ]),
  )
  const traceHeader = MessageSystemAttributes?.['AWSTraceHeader']?.StringValue
  return {
    body: MessageBody ?? Message,
    attributes,
    ...(traceHeader && { traceHeader }),
    ...(DelaySeconds !== undefined && { delaySeconds: DelaySeconds }),
    ...(MessageGroupId !== undefined && { groupId: MessageGroupId }),
    ...(MessageDeduplicationId !== undefined && { deduplicationId: MessageDeduplicationId }),
  }
}

/** Of a batch each entry is answered by itself, unless all of it is refused. */
function answerEach(
  { service, entries, isBatch }: Asked,
  carryOut: (entry: Entry) => Refusal | undefined,
): unknown {
  const none = isBatch ? refuseBatch(service, entries) : undefined
  if (none !== undefined) throw toError(none)
  const done = entries.map((entry) => ({ entry, refused: carryOut(entry) }))
  const [first] = done
  if (!isBatch && first?.refused !== undefined) throw toError(first.refused)
  return {
    MessageId: 'sent',
    Successful: done
      .filter(({ refused }) => refused === undefined)
      .map(({ entry: { Id } }) => ({ Id, MessageId: 'sent' })),
    Failed: done.flatMap(({ entry: { Id }, refused }) =>
      refused === undefined
        ? []
        : [{ Id, SenderFault: true, Code: refused.code, Message: refused.message }],
    ),
  }
}
