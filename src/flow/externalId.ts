import { hash } from 'node:crypto'
import type { IncomingRecord } from '../batch/incomingRecord.ts'
import { messageOf, RejectedError } from '../errors.ts'
import type { FlowDefinition } from './flowDefinition.ts'
import type { StoredAnswer } from './takeAnswer.ts'

/** @throws RejectedError naming what `id` gave */
export function externalIdOf(flow: FlowDefinition, name: string, payload: unknown): string {
  let id: unknown
  try {
    id = flow.awaits.get(name)?.id(payload)
  } catch (error) {
    throw new RejectedError(`awaits.${name}.id(payload) threw ${messageOf(error)}`, {
      cause: error,
    })
  }
  if (typeof id === 'string' && id !== '') {
    if (id.isWellFormed()) return id
    // In the table all lone surrogates would be the same, and so would their ids.
    throw new RejectedError(
      `awaits.${name}.id(payload) gave a text with half a character (a lone surrogate)`,
    )
  }
  throw new RejectedError(
    `awaits.${name}.id(payload) gave ${id === '' ? 'an empty text' : typeof id}: expected the id that ctx.awaitStep was given`,
  )
}

/** Two answers are the same when their texts are. */
export function answerOf(
  { message }: IncomingRecord,
  externalId: string,
  keepUntil: number,
): StoredAnswer {
  return answerIn(message.envelope.body, externalId, keepUntil)
}

export function answerIn(body: string, externalId: string, keepUntil: number): StoredAnswer {
  return { externalId, hash: hash('md5', body), body, keepUntil }
}
