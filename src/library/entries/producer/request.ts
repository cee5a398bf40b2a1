import { groupGiven } from '../../protocol/send/messageGroup.ts'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import {
  type Caller,
  checkSend,
  type Route,
  delayOf,
  textFor,
} from '../../run/context/checkSend.ts'
import { assertUniqueRequestId } from '../../protocol/record/envelope/lineclearAttributes.ts'
import { buildMessage } from '../../protocol/record/envelope/buildMessage.ts'
import type { LargePayloads } from '../../protocol/record/envelope/envelope.ts'
import { ConfigError, hasCode, RejectedError } from '../../base/errors.ts'
import { stableId } from '../../base/ids.ts'
import { sortableId } from '../../base/sortableId.ts'
import { kindOf } from '../../base/kindOf.ts'
import { idOfPayload } from '../../protocol/record/message/identity.ts'
import { parsePayload } from '../../protocol/record/message/parsePayload.ts'
import { TIME_EXPECTED, toTime } from '../../base/time.ts'
import type { ProducerRequest } from './deliverAll.ts'
import { xrayHeader } from './trace.ts'

/** The options of a producer that every request needs. */
export interface RequestRules {
  readonly schema: StandardSchemaV1 | undefined
  readonly idOf: ((payload: unknown) => string) | undefined
  readonly sentAtOf: ((payload: unknown) => unknown) | undefined
  readonly payloads: LargePayloads | undefined
  now(): number
}

const PRODUCER_CALLER: Caller = {
  names: { send: 'producer.send', publish: 'producer.publish' },
  takes: ['uniqueRequestId', 'sentAt'],
}

interface RequestOptions {
  readonly uniqueRequestId?: unknown
  readonly sentAt?: unknown
}

/**
 * @param trace W3C context of the call, if it is traced
 * @throws ConfigError, RejectedError or TerminalError: nothing was sent
 */
export async function buildRequest(
  rules: RequestRules,
  route: Route,
  target: string,
  payload: unknown,
  given: object,
  trace?: string,
): Promise<ProducerRequest> {
  const options = checkSend(route, target, given, PRODUCER_CALLER)
  const call = `producer.${route}('${target}')`
  const text = textFor(call, payload, options)
  const read = await readAs(rules, call, text)
  const own: RequestOptions = given
  const uniqueRequestId = idFor(rules, call, read, own)
  const stamp = {
    uniqueRequestId,
    resendNumber: 0,
    hops: 0,
    sentAt: timeFor(rules, call, read, own),
    ...(trace === undefined ? {} : { traceparent: trace }),
  }
  const { event, maxBytes } = options
  const limits = { maxBytes, payloads: event === undefined ? rules.payloads : (false as const) }
  const message = buildMessage(text, options.attributes, stamp, limits)
  if (event !== undefined) return { uniqueRequestId, message: { ...message, event } }
  const traceHeader = route === 'send' ? xrayHeader() : undefined
  const order = groupGiven(target, options.groupId, stableId(uniqueRequestId))
  return {
    uniqueRequestId,
    message: {
      ...message,
      ...(traceHeader === undefined ? {} : { traceHeader }),
      ...delayOf(options, target),
      ...order,
    },
  }
}

/** The payload as a consumer with this schema reads it. `id` and `sentAt` are called with this payload. */
async function readAs({ schema }: RequestRules, call: string, text: string): Promise<unknown> {
  try {
    return await parsePayload(text, 'json', schema)
  } catch (error) {
    if (!hasCode(error, 'REJECTED') || !(error instanceof Error)) throw error
    throw new RejectedError(`${call}: ${error.message}. Nothing was sent.`, { cause: error })
  }
}

function idFor(
  { idOf, now }: RequestRules,
  call: string,
  read: unknown,
  { uniqueRequestId: given }: RequestOptions,
): string {
  const own = idOf && idOfPayload(read, idOf)
  if (given === undefined) return own ?? sortableId(now())
  if (typeof given !== 'string') {
    throw new ConfigError(
      `${call}: uniqueRequestId: expected a text; got ${kindOf(given)}. Nothing was sent.`,
    )
  }
  assertUniqueRequestId(given, read)
  // @protects a stamp that consumers would not trust is refused
  // @without true
  if (own === undefined || own === given) return given
  throw new ConfigError(
    `${call}: uniqueRequestId: expected what id(payload) gives, or nothing; got another id, with which a consumer that has the ` +
      `same id(payload) would dead-letter the request as a conflict. Nothing was sent.`,
  )
}

/** A time in the future comes from a clock that is ahead, and consumers would not trust it, so it counts as now. */
function timeFor(
  { sentAtOf, now }: RequestRules,
  call: string,
  read: unknown,
  { sentAt }: RequestOptions,
): number {
  const given = sentAt ?? sentAtOf?.(read)
  if (given === undefined && sentAtOf === undefined) return Math.trunc(now())
  const time = toTime(given)
  if (time !== undefined)
    return (
      // @protects a clock that is ahead does not shut out later requests
      // @without time
      Math.min(time, Math.trunc(now()))
    )
  throw new ConfigError(
    `${call}: sentAt: expected ${TIME_EXPECTED}; got ${kindOf(given)}. Nothing was sent.`,
  )
}
