import type { SQSClient } from '@aws-sdk/client-sqs'
import type { SNSClient } from '@aws-sdk/client-sns'
import type { QueueMessage } from '../../queue/messenger.ts'
import { answerEach, type Asked, type Command, outbound, readCommand } from '../queues/commands.ts'
import { deadLettersOf, isDeadLetters, queueArnOf } from '../queues/arns.ts'
import { refuseMessage, refuseVisibility } from '../queues/refusals.ts'
import { hide, put, remove } from '../queues/sqs.ts'
import { callThrowing } from './answers.ts'
import { type Lab, queueOf } from './scheduleContext.ts'
import { reasonOf } from './redrive.ts'
import { isEffect, type Received, sendingOf } from './sent.ts'
import type { Actor, CallFault } from './simulation.ts'

const SEND: readonly CallFault[] = [
  'request lost',
  'answer lost',
  'repeated',
  'killed before',
  'killed on the wire',
]
const CHANGE: readonly CallFault[] = ['request lost', 'killed before', 'killed on the wire']

/** SQS and SNS as one invocation sees them: the commands that the framework, and most handlers, send. */
export function messagingOf(
  lab: Lab,
  actor: Actor,
  received: Received,
): { readonly sqs: SQSClient; readonly sns: SNSClient } {
  const send = async (command: Command): Promise<unknown> => {
    const asked = readCommand(command)
    const run = COMMANDS[asked.command]
    if (run === undefined) throw new Error(`${asked.command} is not modelled`)
    return run({ ...asked, lab, actor, received })
  }
  // Only what is sent by these commands is modelled; anything else says so.
  return { sqs: { send } as unknown as SQSClient, sns: { send } as unknown as SNSClient }
}

interface AskedHere extends Asked {
  readonly lab: Lab
  readonly actor: Actor
  readonly received: Received
}

const COMMANDS: Readonly<Record<string, (asked: AskedHere) => Promise<unknown>>> = {
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

function sendAll(asked: AskedHere): Promise<unknown> {
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
function whatOf({ place, entries: [entry] }: AskedHere): string {
  if (!isDeadLetters(place)) return `sends to ${place}`
  return entry === undefined
    ? 'sends a dead letter'
    : `sends a dead letter (${reasonOf(outbound(entry))})`
}

function accept(lab: Lab, received: Received, place: string, message: QueueMessage): void {
  const { world, sendings, terms } = lab
  const letter = put(queueOf(lab, place), message, world.now)
  if (!isEffect(place, message, received, world.now)) return
  // A FIFO queue that knows the deduplication id has put nothing on it: what came is told all the same.
  sendings.push(sendingOf(place, { ...letter, message }, terms.ignore))
}

function hideAll(asked: AskedHere): Promise<unknown> {
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

function removeAll(asked: AskedHere): Promise<unknown> {
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
