import { stableId } from '../../../base/ids.ts'
import type { QueueMessage } from '../../send/messenger.ts'
import { buildMessage } from '../../record/envelope/buildMessage.ts'
import type { Item } from '../../store/store.ts'
import { flowGroup } from '../../send/messageGroup.ts'
import { readRecordKey } from '../stage/stageRecord.ts'
import { type Awaiting, stepNameIn, storedTenant } from './awaiting.ts'
import type { StandardSchemaV1 } from '@standard-schema/spec'

/** What a message to an awaited step has to carry: the queue for its answers, and the run that waits. */
interface StepAddress {
  readonly flow: string
  readonly flowKey: string
  readonly name: string
  readonly queueUrl: string
  readonly sentAt: number
  readonly from: string
  /** The run's message group (tenant) on a fair queue. */
  readonly tenant: string | undefined
}

/** @returns undefined when the step has no queue of its own (`awaitingSteps.<step>.queueUrl`), so that no message can be sent to it */
export function stepAddress({ key }: Awaiting, item: Item): StepAddress | undefined {
  const { queueUrl, sentAt, from } = item
  if (typeof queueUrl !== 'string' || typeof sentAt !== 'number' || typeof from !== 'string') {
    return undefined
  }
  const { flow, flowKey } = readRecordKey(key.pk)
  return {
    flow,
    flowKey,
    name: stepNameIn(key),
    queueUrl,
    sentAt,
    from,
    tenant: storedTenant(item),
  }
}

/** Builds an answer or a reminder that names its run, as if the run had sent it to itself. */
export function stepMessage(
  { uniqueRequestId: id, epoch }: Awaiting,
  { flow: name, flowKey: key, sentAt, from, queueUrl, tenant }: StepAddress,
  sent: { readonly uniqueRequestId: string; readonly body: string; readonly now: number },
  more: { readonly timeout?: true } = {},
): QueueMessage {
  const { uniqueRequestId, body, now } = sent
  const flow = { name, key, id, epoch, sentAt, from, ...more }
  const stamp = { uniqueRequestId, resendNumber: 0, hops: 0, sentAt: now, flow }
  return {
    ...buildMessage(body, {}, stamp),
    ...flowGroup(queueUrl, tenant, { key, uniqueRequestId }),
  }
}

/**
 * The reminder that the step's time is over. When it arrives, the state of the step decides what it does: a second copy has no
 * effect.
 */
export function timeoutReminder(
  awaiting: Awaiting,
  item: Item,
  now: number,
): { readonly queueUrl: string; readonly message: QueueMessage } | undefined {
  const address = stepAddress(awaiting, item)
  if (address === undefined) return undefined
  const { pk, sk } = awaiting.key
  const uniqueRequestId = stableId(pk, sk, 'timeout', String(now))
  const sent = { uniqueRequestId, body: JSON.stringify(TIMEOUT_BODY), now }
  return {
    queueUrl: address.queueUrl,
    message: stepMessage(awaiting, address, sent, { timeout: true }),
  }
}

/** Body of the message that a flow sends to itself, to arrive when an answer is overdue. */
export const TIMEOUT_BODY = { $lineclear: 'timeout' } as const

export function isTimeoutBody(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.keys(value).length === 1 &&
    '$lineclear' in value &&
    value.$lineclear === TIMEOUT_BODY.$lineclear
  )
}

/**
 * Answers and reminders arrive on the same queue, so the schema accepts both. Whether a reminder is genuine is decided by the
 * attributes that it carries.
 */
export function timeoutOr(schema: StandardSchemaV1): StandardSchemaV1 {
  const { validate, ...standard } = schema['~standard']
  const either: StandardSchemaV1['~standard'] = {
    ...standard,
    validate: (value, options) => (isTimeoutBody(value) ? { value } : validate(value, options)),
  }
  // Keeps the schema's own properties: they show which names of the payload it declares.
  const own = Object.getOwnPropertyDescriptors(schema)
  return Object.defineProperties(
    { '~standard': either },
    { ...own, '~standard': { value: either } },
  )
}
