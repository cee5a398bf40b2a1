import type { PutEventsCommandInput, PutEventsCommandOutput } from '@aws-sdk/client-eventbridge'
import * as EVENT_BRIDGE from '../../library/base/limits/eventBridge.ts'
import { parseObject } from '../../library/protocol/record/envelope/json.ts'
import type { Clock } from '../../library/base/clock.ts'
import { ConfigError } from '../../library/base/errors.ts'
import { assertKnown, wrongOption } from '../../library/base/options.ts'
import type { BusClient } from '../../library/protocol/send/messenger.ts'
import { eventBridgeEvent } from '../events/awsEvents.ts'
import { ACCOUNT, lastSegment, REGION } from './description.ts'
import { type AwsRefusal, toSdkError } from './refuseEntry.ts'

/**
 * A rule, which puts the events that it chooses on a queue, whole. Other patterns, transformers and targets exist on AWS only.
 * @example const rule: RuleDescription = { queue: 'parcels', sources: ['my.parcels'], detailTypes: ['ParcelMoved'] }
 */
export interface RuleDescription {
  readonly queue: string
  /** Values of `source`. Default: every source. */
  readonly sources?: readonly string[]
  /** Values of `detail-type`. Default: every type. */
  readonly detailTypes?: readonly string[]
}

/**
 * An event bus of EventBridge and its rules.
 * @example const shop: BusDescription = { rules: [{ queue: 'parcels', sources: ['my.parcels'] }] }
 */
export interface BusDescription {
  readonly rules?: readonly RuleDescription[]
}

type Buses = Readonly<Record<string, BusDescription>>
type Entry = NonNullable<PutEventsCommandInput['Entries']>[number]

/** @throws ConfigError on an unknown option, or a queue that is not described */
export function checkBuses(
  who: string,
  buses: Buses,
  queues: Readonly<Record<string, unknown>>,
): void {
  for (const [name, bus] of Object.entries(buses)) {
    assertKnown(who, bus, ['rules'], `buses.${name}.`)
    for (const [index, rule] of (bus.rules ?? []).entries()) {
      const where = `buses.${name}.rules[${index}]`
      assertKnown(who, rule, ['queue', 'sources', 'detailTypes'], `${where}.`)
      if (Object.hasOwn(queues, rule.queue)) continue
      throw wrongOption(who, `${where}.queue`, 'a described queue', rule.queue)
    }
  }
}

interface BusRequest {
  readonly buses: Buses
  readonly account: string
  readonly region: string
  /** Epoch milliseconds. */
  readonly now: number
}

/** What PutEvents answers, and the texts of events that its rules put on queues. */
interface PutEvents {
  readonly answer: Pick<PutEventsCommandOutput, 'FailedEntryCount' | 'Entries'>
  readonly deliveries: readonly { readonly queue: string; readonly body: string }[]
}

/** Decides PutEvents: a whole request may be refused, and each entry by itself. */
export function putEvents(
  { Entries = [] }: Pick<PutEventsCommandInput, 'Entries'>,
  request: BusRequest,
): PutEvents | AwsRefusal {
  const refused = refuseRequest(Entries)
  if (refused !== undefined) return refused
  const done = Entries.map((entry) => putEvent(entry, request))
  const answers = done.map(({ answer }) => answer)
  const FailedEntryCount = answers.filter(({ ErrorCode }) => ErrorCode !== undefined).length
  return {
    answer: { FailedEntryCount, Entries: answers },
    deliveries: done.flatMap(({ deliveries }) => deliveries),
  }
}

function putEvent(entry: Entry, { buses, account, region, now }: BusRequest) {
  const problem = refuseEvent(entry, buses)
  if (problem !== undefined) {
    const answer = { ErrorCode: problem.code, ErrorMessage: problem.message, EventId: undefined }
    return { answer, deliveries: [] }
  }
  const { EventBusName = '', Source = '', DetailType = '', Detail = '', Resources = [] } = entry
  const around = { source: Source, detailType: DetailType, account, region, time: now }
  const event = eventBridgeEvent(parseObject(Detail) ?? {}, { ...around, resources: Resources })
  const body = JSON.stringify(event)
  const { rules = [] } = buses[lastSegment(EventBusName)] ?? {}
  const chosen = rules.filter(
    ({ sources, detailTypes }) =>
      sources?.includes(Source) !== false && detailTypes?.includes(DetailType) !== false,
  )
  return {
    answer: { EventId: event.id, ErrorCode: undefined, ErrorMessage: undefined },
    deliveries: chosen.map(({ queue }) => ({ queue, body })),
  }
}

/** https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html */
function refuseRequest(entries: readonly Entry[]): AwsRefusal | undefined {
  const bytes = entries.reduce((sum, entry) => sum + bytesOf(entry), 0)
  const code = 'ValidationException'
  if (entries.length === 0 || entries.length > EVENT_BRIDGE.batchEntries) {
    return { code, message: `entries: ${entries.length}, not 1 to ${EVENT_BRIDGE.batchEntries}` }
  }
  if (bytes <= EVENT_BRIDGE.batchBytes) return undefined
  return { code, message: `Total size of the entries in the request is over the limit: ${bytes}` }
}

function refuseEvent(
  { EventBusName, Source = '', DetailType = '', Detail = '' }: Entry,
  buses: Buses,
): AwsRefusal | undefined {
  const bus = lastSegment(EventBusName ?? '')
  if (!Object.hasOwn(buses, bus)) {
    return { code: 'ResourceNotFoundException', message: `there is no bus '${bus}': describe it` }
  }
  if (Source === '' || DetailType === '' || Detail === '') {
    return { code: 'InvalidArgument', message: 'Source, DetailType and Detail are required' }
  }
  if (Source.startsWith('aws.')) {
    return { code: 'NotAuthorizedForSourceException', message: 'Not authorized for the source.' }
  }
  if (parseObject(Detail) !== undefined) return undefined
  return { code: 'MalformedDetail', message: 'Detail is malformed.' }
}

/** https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevents.html */
function bytesOf({
  Source = '',
  DetailType = '',
  Detail = '',
  Resources = [],
  Time,
}: Entry): number {
  return (
    Buffer.byteLength([Source, DetailType, Detail, ...Resources].join('')) +
    (Time === undefined ? 0 : 14)
  )
}

/** EventBridge in memory: each event is on the queues of its rules at once. */
export function memoryBuses(
  buses: Buses,
  clock: Clock,
  deliver: (queue: string, body: string) => void,
): {
  readonly client: BusClient
  /** @throws ConfigError when there is no such bus */
  known(name: string): string
} {
  return {
    client: {
      async send(command) {
        const request = { buses, account: ACCOUNT, region: REGION, now: clock.now() }
        const done = putEvents(readPutEvents(command), request)
        if ('code' in done) throw toSdkError(done)
        for (const { queue, body } of done.deliveries) deliver(queue, body)
        return done.answer
      },
    },
    known(name) {
      if (Object.hasOwn(buses, name)) return name
      throw wrongOption('memoryCloud', 'busArn', 'a bus of the option buses', name)
    },
  }
}

/** @throws ConfigError unless it is the command that a bus in memory knows */
export function readPutEvents(command: object): PutEventsCommandInput {
  const { name } = command.constructor
  if (name === 'PutEventsCommand') return (command as { input: PutEventsCommandInput }).input
  throw new ConfigError(
    `${name} is not supported in memory; nothing was done. A bus in memory knows PutEventsCommand.`,
  )
}
