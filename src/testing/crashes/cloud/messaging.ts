import type { SQSClient } from '@aws-sdk/client-sqs'
import type {
  BusClient,
  QueueMessage,
  SnsClient,
} from '../../../library/protocol/send/messenger.ts'
import {
  carryOut,
  type CommandRequest,
  type SdkCommand,
  outbound,
  readCommand,
} from '../../queues/commands.ts'
import { resourceOf } from '../../../library/protocol/record/envelope/eventStamp.ts'
import {
  ID_ATTRIBUTE,
  PACKED_ATTRIBUTE,
} from '../../../library/protocol/record/envelope/lineclearAttributes.ts'
import { deadLetterQueueName, isDeadLetterQueue, lastSegment } from '../../queues/description.ts'
import type { MemoryClients } from '../../queues/clients.ts'
import { putEvents, readPutEvents } from '../../queues/eventBus.ts'
import { refuseEntry, toSdkError } from '../../queues/refuseEntry.ts'
import { put } from '../../queues/simulatedQueue.ts'
import { callThrowing, type ThrowingCall } from '../simulation/call.ts'
import { type ScheduleContext, queueOf, deadLetterReason } from '../simulation/scheduleContext.ts'
import { isEffect, type InvocationInput, sendingOf } from '../simulation/sentEffects.ts'
import type { Actor } from '../simulation/simulation.ts'
import { type CrashCallFault, KILLED, SENT } from '../simulation/crashFaults.ts'

const CHANGE: readonly CrashCallFault[] = ['request lost', ...KILLED]

/** SQS, SNS and EventBridge as one invocation sees them: the commands that Lineclear and most handlers send. */
export function messagingOf(
  context: ScheduleContext,
  actor: Actor,
  received: InvocationInput,
): MemoryClients {
  const send = async (command: SdkCommand): Promise<unknown> => {
    if (command.constructor.name === 'PutEventsCommand') {
      return putAll(context, actor, received, command)
    }
    const asked = readCommand(command)
    const { service, target } = asked
    const apply = carryOut(asked, {
      take: (entry) => {
        const refused = refuseEntry(service, target, entry)
        if (refused === undefined) accept(context, received, target, outbound(entry))
        return refused
      },
      queue: () => queueOf(context, target),
      now: () => context.simulation.now,
      deadLetter: { queue: deadLetterQueueName(target) },
    })
    if (apply === undefined) throw new Error(`exploreCrashes does not simulate ${asked.command}`)
    const call = callOf(asked)
    return call === undefined ? apply() : callThrowing(context, actor, { ...call, apply })
  }
  // Only `send` with these commands is simulated; any other command throws.
  const client: unknown = { send }
  return { sqs: client as SQSClient, sns: client as SnsClient, eventBridge: client as BusClient }
}

/** undefined: it changes nothing, and is struck by no fault. */
function callOf(asked: CommandRequest): Pick<ThrowingCall<unknown>, 'what' | 'faults'> | undefined {
  const { command, entries } = asked
  if (command.startsWith('GetQueueAttributes')) return undefined
  if (command.startsWith('DeleteMessage')) return { what: 'deletes its message', faults: CHANGE }
  if (!command.startsWith('ChangeMessageVisibility')) return { what: whatOf(asked), faults: SENT }
  const seconds = entries[0]?.VisibilityTimeout ?? 0
  return { what: `hides its message for ${seconds} s`, faults: CHANGE }
}

/** Every bus exists, and keeps its events. */
function putAll(
  context: ScheduleContext,
  actor: Actor,
  received: InvocationInput,
  command: object,
): Promise<unknown> {
  const input = readPutEvents(command)
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
    faults: SENT,
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
function whatOf({ target, entries: [entry] }: CommandRequest): string {
  if (!isDeadLetterQueue(target)) return `sends to ${target}`
  return entry === undefined
    ? 'sends a dead letter'
    : `sends a dead letter (${deadLetterReason(outbound(entry))})`
}

/** Puts a message on a queue, and notes what it is an effect of. */
export function accept(
  context: ScheduleContext,
  received: InvocationInput,
  target: string,
  message: QueueMessage,
): void {
  const { simulation, sendings, terms } = context
  const queued = put(queueOf(context, target), message, simulation.now)
  if (!isEffect(target, message, received)) return
  // A FIFO queue that knows the deduplication id adds no message; what the handler sent is recorded all the same.
  sendings.push(sendingOf(target, { ...queued, message }, terms.ignore))
}
