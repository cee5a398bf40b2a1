import { MAX_FLOW_KEY_BYTES } from '../../protocol/record/envelope/lineclearAttributes.ts'
import type { RunReference } from '../../protocol/record/envelope/envelope.ts'
import { hasCode, messageOf, RejectedError } from '../../base/errors.ts'
import type { Death } from '../../protocol/claim/hold.ts'
import { kindOf } from '../../base/kindOf.ts'
import { missingIn, stableId } from '../../base/ids.ts'
import type { Message } from '../../protocol/record/message/message.ts'
import { MAX_CLOCK_SKEW_MS, TIME_EXPECTED, toTime } from '../../base/time.ts'
import type { FlowDefinition } from './flowDefinition.ts'

/** The run and the stage that a message belongs to. */
export interface MessagePosition {
  readonly key: string
  readonly uniqueRequestId: string
  /** When the request was first sent. This is the request's version. */
  readonly sentAt: number
  /** The run that the message was sent in. undefined for a message of the first stage. */
  readonly run: RunReference | undefined
  /** The epoch of the run that a message of the first stage carries. 0: it carries none. */
  readonly seen?: number
  /** See WaitingRun. undefined: the message is as old as its run. */
  readonly begunAt?: number
  /** See Awaiting.reopened. */
  readonly reopened?: boolean
  /** The message cannot run as it is. Its own run, if there is one, has to be ended. */
  readonly refusal?: Death
}

/** @throws RejectedError when the message cannot belong to this stage */
export function positionOf(
  flow: FlowDefinition,
  stage: string,
  message: Message<unknown>,
  now: number,
): MessagePosition {
  const { flow: run } = message.envelope.carried
  // @protects a message of another flow is refused
  if (run !== undefined && run.name !== flow.name) {
    throw new RejectedError(`a message of flow '${run.name}' has come to flow '${flow.name}'`)
  }
  if (run !== undefined && !isKey(run.key)) {
    throw new RejectedError(`it carries a key that no run of flow '${flow.name}' can have`)
  }
  if (stage === flow.first) return positionOfFirst(flow, message, now)
  if (run !== undefined) return positionInRun(run)
  throw new RejectedError(
    `a message of stage '${stage}' has to be sent by a stage of flow '${flow.name}' (ctx.next('${stage}', …)): ` +
      `this one does not say to which run it belongs`,
  )
}

function positionInRun(run: RunReference): MessagePosition {
  return { key: run.key, uniqueRequestId: run.id, sentAt: run.sentAt, run }
}

/** Once a message has started a run it belongs to that run, even if its payload is refused later: the refusal has to end the run. */
function positionOfFirst(
  flow: FlowDefinition,
  message: Message<unknown>,
  now: number,
): MessagePosition {
  if (message.kind === 'unread') throw message.error
  const { uniqueRequestId } = message
  const { flow: run } = message.envelope.carried
  const begun = run?.id === uniqueRequestId ? run : undefined
  try {
    if (message.kind === 'refused') throw new RejectedError(message.refusal.error)
    const key = flowKeyOf(flow, message.payload)
    const sentAt = sentAtOf(flow, message.payload, now) ?? message.sentAt
    const own = { uniqueRequestId, sentAt, run: undefined }
    return begun === undefined ? { ...own, key } : { ...own, key: begun.key, seen: begun.epoch }
  } catch (error) {
    if (!hasCode(error, 'REJECTED')) throw error
    const key = begun?.key ?? keyWithoutSchema(flow, message)
    if (key === undefined) throw error
    const refusal = message.kind === 'refused' ? message.refusal : asRefusal(error)
    const sentAt = begun?.sentAt ?? message.sentAt
    return { key, uniqueRequestId, sentAt, run: undefined, seen: begun?.epoch ?? 0, refusal }
  }
}

export function asRefusal(error: unknown): Death {
  return { reason: 'rejected', error: messageOf(error) }
}

/** The key is good enough to look for a run of the same request, but must never start one. */
function keyWithoutSchema(
  flow: FlowDefinition,
  { envelope }: Message<unknown>,
): string | undefined {
  try {
    return flowKeyOf(flow, JSON.parse(envelope.body))
  } catch {
    return undefined
  }
}

/** Whether `flowKeyOf` can return this text. DynamoDB would refuse a longer key, together with all other reads of the same call. */
function isKey(key: string): boolean {
  return key.isWellFormed() && Buffer.byteLength(key) <= MAX_FLOW_KEY_BYTES
}

/** @throws RejectedError naming what `key` returned */
export function flowKeyOf(flow: FlowDefinition, payload: unknown): string {
  const key = call(() => flow.keyOf(payload), 'key')
  if (typeof key !== 'string' || key === '') {
    throw new RejectedError(
      `key(payload) gave ${key === '' ? 'an empty text' : typeof key}: expected a text that names what the flow works on`,
    )
  }
  // DynamoDB stores all lone surrogates as the same character, so different keys would become equal.
  // @protects different keys stay different in the table
  if (!key.isWellFormed()) {
    throw new RejectedError('key(payload) gave a text with half a character (a lone surrogate)')
  }
  const missing = missingIn(key, payload)
  if (missing !== undefined) {
    throw new RejectedError(
      `key(payload) gave a text with '${missing}' in it: a field of the payload is missing, and all payloads without it would share one key`,
    )
  }
  return storedKey(key)
}

/** The name of a key in the table. A long key is stored under its digest. */
export function storedKey(key: string): string {
  return Buffer.byteLength(key) <= MAX_FLOW_KEY_BYTES ? key : stableId('key', key)
}

function sentAtOf(flow: FlowDefinition, payload: unknown, now: number): number | undefined {
  const given = call(() => flow.sentAtOf(payload), 'sentAt')
  if (given === undefined) return undefined
  const sentAt = toTime(given)
  if (
    sentAt !== undefined &&
    // @protects a time in the future does not shut out later requests
    sentAt <= now + MAX_CLOCK_SKEW_MS
  )
    return sentAt
  throw new RejectedError(
    `sentAt(payload) gave ${sentAt === undefined ? kindOf(given) : 'a later time'}: expected ${TIME_EXPECTED}, at most 5 minutes ` +
      `ahead of this machine's clock; a later time would shut out every request after it`,
  )
}

function call(ask: () => unknown, option: string): unknown {
  try {
    return ask()
  } catch (error) {
    if (hasCode(error, 'REJECTED')) throw error
    throw new RejectedError(`${option}(payload) threw ${messageOf(error)}`, { cause: error })
  }
}
