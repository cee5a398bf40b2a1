import * as EVENT_BRIDGE from '../../base/limits/eventBridge.ts'
import * as SNS from '../../base/limits/sns.ts'
import * as SQS from '../../base/limits/sqs.ts'
import { toMilliseconds, unknownName } from '../../base/options.ts'
import type { Duration } from '../../base/time.ts'
import type { AttributeInput } from '../../protocol/record/envelope/buildMessage.ts'
import { ConfigError } from '../../base/errors.ts'
import { isObject, kindOf } from '../../base/kindOf.ts'
import { payloadText } from '../../protocol/record/envelope/payloadText.ts'
import { isBus } from '../../adapters/send/eventBus.ts'
import type { BusEvent } from '../../protocol/send/messenger.ts'
import { isFifo } from '../../protocol/send/queueUrl.ts'
import { MAX_DELAY_MS } from '../../protocol/send/retry.ts'

export type Route = 'send' | 'publish'

/** Checked options of `send` and `publish`. */
export interface CheckedSend {
  readonly name: string | undefined
  readonly attributes: Readonly<Record<string, AttributeInput>>
  readonly groupId: string | undefined
  /** Milliseconds. */
  readonly delay: number | undefined
  readonly maxBytes: number
  /** Set for an event that goes to a bus. */
  readonly event: BusEvent | undefined
}

const TARGETS = {
  send: { is: /^https?:\/\/.+\/[^/]+$/, expected: 'the URL of a queue' },
  publish: {
    is: /^arn:[^:]+:(?:sns:[^:]*:[^:]*:[^:]+|events:[^:]*:[^:]*:event-bus\/.+)$/,
    expected: 'the ARN of a topic or of an event bus',
  },
} as const
const CUSTOM_BUS = /:event-busv2\//
const OPTIONS = {
  send: ['attributes', 'groupId', 'delay', 'maxBytes'],
  publish: ['attributes', 'groupId', 'maxBytes'],
  bus: ['source', 'detailType'],
} as const
/** The default limits of a queue and a topic, and of what the entry of a bus has besides its source and detail type. */
const MAX_BYTES = {
  send: SQS.messageBytes,
  publish: SNS.messageBytes,
  bus: EVENT_BRIDGE.batchBytes - EVENT_BRIDGE.sourceLength - EVENT_BRIDGE.detailTypeLength,
} as const
const MOST_BYTES = Math.max(SQS.messageBytes, SNS.largestMessageBytes)
const GROUP = /^[\x21-\x7e]{1,128}$/

/** Who sends: it determines how errors name the calls, and which further options exist. */
export interface Caller {
  readonly names: Readonly<Record<Route, string>>
  readonly takes: readonly string[]
}

const IN_HANDLER: Caller = {
  names: { send: 'ctx.send', publish: 'ctx.publish' },
  takes: ['name'],
}

/** @throws ConfigError naming the call and the option, what was expected and what kind of thing was given */
export function checkSend(
  route: Route,
  target: unknown,
  given: unknown,
  caller: Caller = IN_HANDLER,
): CheckedSend {
  // @protects a message without a queue is refused before anything is sent
  checkTarget(caller, route, target)
  const call = callOf(route, target, caller)
  if (!isObject(given)) {
    throw wrong(call, `options: expected an object; got ${kindOf(given)}`)
  }
  const kind = isBus(target) ? 'bus' : route
  const unknown = unknownName(given, [...OPTIONS[kind], ...caller.takes])
  if (unknown !== undefined) throw wrong(call, unknown)
  const { name, attributes, groupId, delay, maxBytes, source, detailType } = given
  if (name !== undefined && (typeof name !== 'string' || name === '')) {
    throw wrong(call, `name: expected a text that is not empty; got ${kindOf(name)}`)
  }
  if (groupId !== undefined && (typeof groupId !== 'string' || !GROUP.test(groupId))) {
    const expected = `1 to ${SQS.fifoIdLength} letters, digits and punctuation characters`
    throw wrong(call, `groupId: expected ${expected}; got ${kindOf(groupId)}`)
  }
  return {
    name,
    attributes: attributesOf(call, attributes),
    groupId,
    delay: delay === undefined ? undefined : toMilliseconds(`${call}: delay`, delay as Duration),
    maxBytes: maxBytesOf(call, kind, maxBytes),
    event:
      kind === 'bus'
        ? {
            source: nameOf(call, 'source', source, EVENT_BRIDGE.sourceLength),
            detailType: nameOf(call, 'detailType', detailType, EVENT_BRIDGE.detailTypeLength),
          }
        : undefined,
  }
}

/** @throws ConfigError unless it is what a rule can choose by. EventBridge keeps `aws.` for itself. */
function nameOf(call: string, option: string, given: unknown, most: number): string {
  const fits = typeof given === 'string' && given !== '' && Buffer.byteLength(given) <= most
  if (fits && !/^aws\./i.test(given)) return given
  throw wrong(
    call,
    `${option}: expected a text of at most ${most} bytes that does not begin with aws., by which rules choose the event; got ${kindOf(given)}`,
  )
}

/** @throws ConfigError when the payload cannot be sent as it is: as JSON, and to a bus as an object */
export function textFor(call: string, payload: unknown, { event }: CheckedSend): string {
  const text = payloadText(call, payload)
  if (event === undefined || text.startsWith('{')) return text
  throw wrong(
    call,
    `payload: expected an object, which the detail of an event is; got ${kindOf(payload)}`,
  )
}

/** How errors name the call. */
export function callOf(route: Route, target: string, { names }: Caller = IN_HANDLER): string {
  return `${names[route]}('${target}')`
}

function checkTarget({ names }: Caller, route: Route, target: unknown): asserts target is string {
  const { is, expected } = TARGETS[route]
  if (typeof target === 'string' && is.test(target)) return
  if (typeof target === 'string' && CUSTOM_BUS.test(target)) {
    const instead = 'Publish to a topic or to a Classic bus (event-bus/NAME), or send to a queue'
    throw wrong(
      names[route],
      `a Custom Event Bus has another API, without a client yet. ${instead}`,
    )
  }
  const other = route === 'send' ? 'publish' : 'send'
  if (typeof target === 'string' && TARGETS[other].is.test(target)) {
    const got = `${TARGETS[other].expected}: use ${names[other]}`
    throw wrong(names[route], `expected ${expected}; got ${got}`)
  }
  const unset = '(is its environment variable set?)'
  throw wrong(names[route], `expected ${expected} ${unset}; got ${kindOf(target)}`)
}

function attributesOf(call: string, given: unknown): Readonly<Record<string, AttributeInput>> {
  if (given === undefined) return {}
  if (!isObject(given) || given instanceof Map) {
    throw wrong(
      call,
      `attributes: expected an object, such as { kind: 'urgent' }; got ${kindOf(given)}`,
    )
  }
  // Each attribute is checked where it is converted to its wire format.
  return { ...(given as CheckedSend['attributes']) }
}

function maxBytesOf(call: string, kind: keyof typeof MAX_BYTES, given: unknown): number {
  if (given === undefined) return MAX_BYTES[kind]
  const fits =
    typeof given === 'number' && Number.isInteger(given) && given >= 1 && given <= MOST_BYTES
  if (fits) return given
  throw wrong(
    call,
    `maxBytes: expected a whole number from 1 to ${MOST_BYTES}; got ${kindOf(given)}`,
  )
}

function wrong(call: string, what: string): ConfigError {
  return new ConfigError(`${call}: ${what}. Nothing was sent.`)
}

/** Whether a queue cannot delay a message that long: a FIFO queue delays no single message. */
export function outlasts(target: string, delay: number = 0): boolean {
  return delay > (isFifo(target) ? 0 : MAX_DELAY_MS)
}

/**
 * The delay of a message.
 * @throws ConfigError when its queue cannot delay a message that long
 */
export function delayOf(
  { delay }: Pick<CheckedSend, 'delay'>,
  target: string,
): { delaySeconds?: number } {
  if (delay === undefined) return {}
  if (isFifo(target) || delay > MAX_DELAY_MS) {
    throw new ConfigError(
      `delay: a message for ${target} can wait at most 15 minutes, and on a FIFO queue not by itself; got ${delay} ms. ` +
        'Nothing was sent. For more, send it from a handler with the option delays: storedDelays()',
    )
  }
  return { delaySeconds: Math.ceil(delay / 1_000) }
}
