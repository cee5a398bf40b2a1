import { sortableId } from '../../base/sortableId.ts'
import { buildMessage } from '../../protocol/record/envelope/buildMessage.ts'
import { assertUniqueRequestId } from '../../protocol/record/envelope/lineclearAttributes.ts'
import { payloadText } from '../../protocol/record/envelope/payloadText.ts'
import { ConfigError, hasCode, messageOf, RejectedError } from '../../base/errors.ts'
import { deliverAll } from '../producer/deliverAll.ts'
import { traced, xrayHeader } from '../producer/trace.ts'
import type { Produced } from '../producer/options.ts'
import { TIME_EXPECTED, toTime, type Time } from '../../base/time.ts'
import { unknownName } from '../../base/options.ts'
import { isObject, kindOf } from '../../base/kindOf.ts'
import type { FlowDefinition } from './flowDefinition.ts'
import { flowGroup } from '../../protocol/send/messageGroup.ts'
import { idOfPayload } from '../../protocol/record/message/identity.ts'
import { parsePayload } from '../../protocol/record/message/parsePayload.ts'
import { flowKeyOf } from './messagePosition.ts'

/** Options of `flow.start`. */
export interface StartOptions {
  /** Identifies the request: sent again with the same id it runs once. Default: a new id. */
  readonly uniqueRequestId?: string
  /** When the request was made; must be the same whenever the same id is sent again. Default: now. */
  readonly sentAt?: Time
  /** Message group: the tenant on a fair queue, which the messages of the run keep. A FIFO queue takes none: its group is the key. */
  readonly groupId?: string
}

/**
 * @throws RejectedError when the first stage would refuse the payload, or it has no key; ConfigError when JSON would change it;
 * SendFailedError when the queue did not take it, or gave no answer
 */
export async function start(
  flow: FlowDefinition,
  payload: unknown,
  options: StartOptions = {},
): Promise<Produced> {
  const { sender, clock, idOf, offload } = flow.consumerOf(flow.first)
  const queueUrl = flow.stages.get(flow.first)?.queueUrl
  const here = `defineFlow('${flow.name}').start`
  if (queueUrl === undefined) {
    throw new ConfigError(
      `${here}: stages.${flow.first}.queueUrl is not set (is its environment variable set?). Nothing was sent.`,
    )
  }
  // @protects options of a start that would do nothing are refused
  checkStart(here, options)
  const text = payloadText(here, payload)
  await checkFirst(flow, here, text)
  const key = flowKeyOf(flow, payload)
  const sentAt = timeOf(here, options, clock.now())
  const own = idOf && idOfPayload(payload, idOf)
  if (options.uniqueRequestId !== undefined) assertUniqueRequestId(options.uniqueRequestId, payload)
  const { uniqueRequestId = own ?? sortableId(clock.now()) } = options
  if (own !== undefined && own !== uniqueRequestId) {
    throw new ConfigError(
      `${here}: uniqueRequestId: expected what id(payload) gives, or nothing; got another id, with which the request would be ` +
        `dead-lettered as a conflict. Nothing was sent.`,
    )
  }
  const stamp = { uniqueRequestId, sentAt, resendNumber: 0, hops: 0 }
  const order = flowGroup(queueUrl, options.groupId, { key, uniqueRequestId })
  const traceHeader = xrayHeader()
  const trace = traceHeader === undefined ? {} : { traceHeader }
  const to = { route: 'send', target: queueUrl } as const
  const [sent] = await traced(flow.tracing, { ...to, count: 1 }, async (current) => {
    const all = { ...stamp, ...(current && { traceparent: current }) }
    const message = buildMessage(text, {}, all, { payloads: offload })
    const requests = [{ uniqueRequestId, message: { ...message, ...trace, ...order } }]
    return deliverAll(sender, clock, { call: here, ...to, requests })
  })
  if (sent === undefined) throw new Error('fewer answers than messages')
  return sent
}

function checkStart(here: string, options: StartOptions): void {
  if (!isObject(options)) {
    const expected = `options: expected an object; got ${kindOf(options)}`
    throw new ConfigError(`${here}: ${expected}. Nothing was sent.`)
  }
  const unknown = unknownName(options, ['uniqueRequestId', 'sentAt', 'groupId'])
  if (unknown !== undefined) throw new ConfigError(`${here}: ${unknown}. Nothing was sent.`)
  for (const name of ['uniqueRequestId', 'groupId'] as const) {
    const value: unknown = options[name]
    if (value === undefined || (typeof value === 'string' && value !== '')) continue
    throw new ConfigError(
      `${here}: ${name}: expected a text; got ${kindOf(value)}. Nothing was sent.`,
    )
  }
}

function timeOf(here: string, { sentAt: given }: StartOptions, now: number): number {
  const time = given === undefined ? Math.trunc(now) : toTime(given)
  if (time !== undefined) return time
  const error = `${here}: sentAt: expected ${TIME_EXPECTED}; got ${kindOf(given)}. Nothing was sent.`
  throw new ConfigError(error)
}

/** Types cannot express which stage is the first. The payload of another stage would be dead-lettered there. */
async function checkFirst(flow: FlowDefinition, here: string, text: string): Promise<void> {
  try {
    await parsePayload(text, 'json', flow.consumerOf(flow.first).schema)
  } catch (error) {
    // A schema that throws has not refused the payload: the stage will run it again.
    if (!hasCode(error, 'REJECTED')) return
    const why = error instanceof Error ? error.message : messageOf(error)
    throw new RejectedError(
      `${here}: stage '${flow.first}' would refuse it: ${why}. Nothing was sent.`,
    )
  }
}
