import type { SQSClient } from '@aws-sdk/client-sqs'
import type { BusClient, SnsClient, QueueMessage } from '../../../send/messenger.ts'
import {
  answerEach,
  type CommandRequest,
  type SdkCommand,
  outbound,
  readCommand,
} from '../../queues/commands.ts'
import { resourceOf } from '../../../record/envelope/eventStamp.ts'
import { ID_ATTRIBUTE, PACKED_ATTRIBUTE } from '../../../record/envelope/lineclearAttributes.ts'
import {
  deadLetterQueueName,
  isDeadLetterQueue,
  lastSegment,
  memoryQueueArn,
} from '../../queues/description.ts'
import { putEvents, putEventsInput } from '../../queues/eventBus.ts'
import { refuseEntry, refuseVisibility, toSdkError } from '../../queues/refuseEntry.ts'
import { hide, put, remove } from '../../queues/simulatedQueue.ts'
import { callThrowing } from '../simulation/call.ts'
import { type ScheduleContext, queueOf, deadLetterReason } from '../simulation/scheduleContext.ts'
import { isEffect, type InvocationInput, sendingOf } from '../simulation/sentEffects.ts'
import type { Actor } from '../simulation/simulation.ts'
import type { CrashCallFault } from '../simulation/crashFaults.ts'

const SEND: readonly CrashCallFault[] = [
  'request lost',
  'answer lost',
  'repeated',
  'killed before',
  'killed on the wire',
]
const CHANGE: readonly CrashCallFault[] = ['request lost', 'killed before', 'killed on the wire']

/** SQS, SNS and EventBridge as one invocation sees them: the commands that Lineclear and most handlers send. */
export function messagingOf(
  context: ScheduleContext,
  actor: Actor,
  received: InvocationInput,
): { readonly sqs: SQSClient; readonly sns: SnsClient; readonly eventBridge: BusClient } {
  const send = async (command: SdkCommand): Promise<unknown> => {
    if (command.constructor.name === 'PutEventsCommand') {
      return putAll(context, actor, received, command)
    }
    const asked = readCommand(command)
    const run = COMMANDS[asked.command]
    if (run === undefined) throw new Error(`exploreCrashes does not simulate ${asked.command}`)
    return run({ ...asked, context, actor, received })
  }
  // Only `send` with these commands is simulated; any other command throws.
  const client: unknown = { send }
  return { sqs: client as SQSClient, sns: client as SnsClient, eventBridge: client as BusClient }
}

interface AskedHere extends CommandRequest {
  readonly context: ScheduleContext
  readonly actor: Actor
  readonly received: InvocationInput
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
  GetQueueAttributesCommand: async ({ target }) => ({
    Attributes: {
      RedrivePolicy: JSON.stringify({
        deadLetterTargetArn: memoryQueueArn(deadLetterQueueName(target)),
      }),
    },
  }),
}

function sendAll(asked: AskedHere): Promise<unknown> {
  const { context, actor, received, service, target } = asked
  return callThrowing(context, actor, {
    what: whatOf(asked),
    apply: () =>
      answerEach(asked, (entry) => {
        const refused = refuseEntry(service, target, entry)
        if (refused === undefined) accept(context, received, target, outbound(entry))
        return refused
      }),
    faults: SEND,
  })
}

/** Every bus exists, and keeps its events. */
function putAll(
  context: ScheduleContext,
  actor: Actor,
  received: InvocationInput,
  command: object,
): Promise<unknown> {
  const input = putEventsInput(command)
  const { Entries = [] } = input
  const bus = lastSegment(Entries[0]?.EventBusName ?? '')
  return callThrowing(context, actor, {
    what: `puts events on ${bus}`,
    apply: () => {
      const { now } = context.simulation
      const done = putEvents(input, { buses: { [bus]: {} }, account: '', region: '', now })
      if ('code' in done) throw toSdkError(done)
      for (const { Detail = '', Resources = [] } of Entries) {
        accept(context, received, bus, { body: Detail, attributes: stampIn(Resources) })
      }
      return done.answer
    },
    faults: SEND,
  })
}

function stampIn(resources: readonly string[]): QueueMessage['attributes'] {
  const texts = [ID_ATTRIBUTE, PACKED_ATTRIBUTE].map(
    (name) => [name, resourceOf(name, resources)] as const,
  )
  return Object.fromEntries(
    texts.flatMap(([name, StringValue]) =>
      StringValue === undefined ? [] : [[name, { DataType: 'String', StringValue }]],
    ),
  )
}

/** A dead letter is named with its reason. */
function whatOf({ target, entries: [entry] }: AskedHere): string {
  if (!isDeadLetterQueue(target)) return `sends to ${target}`
  return entry === undefined
    ? 'sends a dead letter'
    : `sends a dead letter (${deadLetterReason(outbound(entry))})`
}

function accept(
  context: ScheduleContext,
  received: InvocationInput,
  target: string,
  message: QueueMessage,
): void {
  const { simulation, sendings, terms } = context
  const queued = put(queueOf(context, target), message, simulation.now)
  if (!isEffect(target, message, received, simulation.now)) return
  // A FIFO queue that knows the deduplication id adds no message; what the handler sent is recorded all the same.
  sendings.push(sendingOf(target, { ...queued, message }, terms.ignore))
}

function hideAll(asked: AskedHere): Promise<unknown> {
  const { context, actor, target, entries } = asked
  return callThrowing(context, actor, {
    what: `hides its message for ${entries[0]?.VisibilityTimeout ?? 0} s`,
    apply: () =>
      answerEach(asked, (entry) => {
        const { ReceiptHandle = '', VisibilityTimeout = 0 } = entry
        const refused = refuseVisibility(entry)
        const until = context.simulation.now + VisibilityTimeout * 1_000
        if (refused === undefined) hide(queueOf(context, target), ReceiptHandle, until)
        return refused
      }),
    faults: CHANGE,
  })
}

function removeAll(asked: AskedHere): Promise<unknown> {
  const { context, actor, target } = asked
  return callThrowing(context, actor, {
    what: 'deletes its message',
    apply: () =>
      answerEach(asked, ({ ReceiptHandle = '' }) => {
        remove(queueOf(context, target), ReceiptHandle)
        return undefined
      }),
    faults: CHANGE,
  })
}
