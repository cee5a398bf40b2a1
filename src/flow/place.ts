import type { CarriedFlow } from '../envelope/envelope.ts'
import { hasCode, messageOf, RejectedError } from '../errors.ts'
import { stableId } from '../ids.ts'
import type { Message } from '../message/message.ts'
import type { Flow } from './flow.ts'

/** Where in its flow a message belongs. */
export interface Place {
  readonly key: string
  readonly uniqueRequestId: string
  /** Of the request's first sending: its version. */
  readonly sentAt: number
  /** The run it was sent in; undefined for a message of the first stage. */
  readonly run: CarriedFlow | undefined
}

/** A key is part of the partition key and travels in an attribute: what is longer is hashed. Bytes. */
const MAX_KEY = 512
/** Another clock may be ahead of ours by so much, milliseconds. */
const MAX_AHEAD_MS = 5 * 60_000

/** @throws RejectedError when the message cannot be of this stage */
export function placeOf(flow: Flow, stage: string, message: Message<unknown>, now: number): Place {
  const { flow: run } = message.envelope.carried
  if (run !== undefined) return placeInRun(flow, run)
  if (stage !== flow.first) {
    throw new RejectedError(
      `a message of stage '${stage}' has to be sent by a stage of flow '${flow.name}' (ctx.send('${stage}', …)): ` +
        `this one does not say to which run it belongs`,
    )
  }
  if (message.kind === 'unread') throw message.error
  if (message.kind === 'refused') throw new RejectedError(message.refusal.error)
  return {
    key: keyOf(flow, message.payload),
    uniqueRequestId: message.uniqueRequestId,
    sentAt: sentAtOf(flow, message.payload, now) ?? message.sentAt,
    run: undefined,
  }
}

function placeInRun(flow: Flow, run: CarriedFlow): Place {
  if (run.name !== flow.name) {
    throw new RejectedError(`a message of flow '${run.name}' has come to flow '${flow.name}'`)
  }
  return { key: run.key, uniqueRequestId: run.id, sentAt: run.sentAt, run }
}

/** @throws RejectedError naming what `key` gave */
export function keyOf(flow: Flow, payload: unknown): string {
  const key = call(() => flow.keyOf(payload), 'key')
  if (typeof key !== 'string' || key === '') {
    throw new RejectedError(
      `key(payload) gave ${key === '' ? 'an empty text' : typeof key}: expected a text that names what the flow works on`,
    )
  }
  // In the table all lone surrogates would be the same, and so would their keys.
  if (!key.isWellFormed()) {
    throw new RejectedError('key(payload) gave a text with half a character (a lone surrogate)')
  }
  return Buffer.byteLength(key) <= MAX_KEY ? key : stableId('key', key)
}

function sentAtOf(flow: Flow, payload: unknown, now: number): number | undefined {
  const sentAt = call(() => flow.sentAtOf(payload), 'sentAt')
  if (sentAt === undefined) return undefined
  if (typeof sentAt === 'number' && sentAt > 0 && sentAt <= now + MAX_AHEAD_MS) {
    return Math.trunc(sentAt)
  }
  throw new RejectedError(
    `sentAt(payload) gave ${typeof sentAt === 'number' ? sentAt : typeof sentAt}: expected epoch milliseconds, at most 5 minutes ahead ` +
      `of this machine's clock; a later time would shut out every request after it`,
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
