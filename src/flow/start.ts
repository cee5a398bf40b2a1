import { sortableId } from '../ids.ts'
import { buildMessage } from '../envelope/outgoing.ts'
import { payloadText } from '../envelope/payloadText.ts'
import type { SentMessage } from '../effect/context.ts'
import { ConfigError, hasCode, messageOf, QueueRefusedError, RejectedError } from '../errors.ts'
import type { Flow } from './flow.ts'
import { orderOf } from './orderOf.ts'
import { idOfPayload } from '../message/identity.ts'
import { parsePayload } from '../message/parsePayload.ts'
import { keyOf } from './place.ts'

export interface StartOptions {
  /** Names the request: sent again with the same id it is taken once. Default: a new one. */
  readonly uniqueRequestId?: string
  /** First sending, epoch milliseconds; the same whenever the same id is sent again. Default: now. */
  readonly sentAt?: number
  /** W3C trace context of whoever starts it: all that the flow sends carries it on. */
  readonly traceparent?: string
}

/**
 * @throws RejectedError when the first stage would refuse the payload, or it has no key; ConfigError when JSON would change it;
 * QueueRefusedError when the queue did not take it
 */
export async function start(
  flow: Flow,
  payload: unknown,
  options: StartOptions = {},
): Promise<SentMessage> {
  const { messenger, clock, idOf } = flow.consumerOf(flow.first)
  const queueUrl = flow.stages.get(flow.first)?.queueUrl
  const here = `defineFlow('${flow.name}').start`
  if (queueUrl === undefined) {
    throw new ConfigError(`${here}: stages.${flow.first}.queueUrl is not set`)
  }
  const text = payloadText(here, payload)
  await checkFirst(flow, here, text)
  const key = keyOf(flow, payload)
  const { sentAt = clock.now(), traceparent } = options
  const own = idOf && idOfPayload(payload, idOf)
  const { uniqueRequestId = own ?? sortableId(clock.now()) } = options
  if (own !== undefined && own !== uniqueRequestId) {
    throw new ConfigError(
      `${here}: uniqueRequestId: expected what id(payload) gives, or nothing; got another id, with which the request would be ` +
        `dead-lettered as a conflict. Nothing was sent.`,
    )
  }
  const stamp = { uniqueRequestId, sentAt, retry: 0, hops: 0, ...(traceparent && { traceparent }) }
  const message = buildMessage(text, {}, stamp)
  const order = orderOf(queueUrl, key, uniqueRequestId)
  const [refusal] = await messenger.send(queueUrl, [{ ...message, ...order }])
  if (refusal === undefined) return { uniqueRequestId }
  throw new QueueRefusedError(
    `${here}: ${queueUrl} did not take the request (${refusal.message}); start it again, with the same uniqueRequestId`,
    { cause: refusal },
  )
}

/** Types cannot say which stage is the first: the payload of another one would be dead-lettered there. */
async function checkFirst(flow: Flow, here: string, text: string): Promise<void> {
  try {
    await parsePayload(text, 'json', flow.consumerOf(flow.first).schema)
  } catch (error) {
    // A schema that fails has not refused: the stage will ask it again.
    if (!hasCode(error, 'REJECTED')) return
    const why = error instanceof Error ? error.message : messageOf(error)
    throw new RejectedError(
      `${here}: stage '${flow.first}' would refuse it: ${why}. Nothing was sent.`,
    )
  }
}
