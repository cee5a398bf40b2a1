import { messageOf, RejectedError } from '../errors.ts'
import type { FlowDefinition } from './flowDefinition.ts'

/** @throws RejectedError naming what `id` returned */
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
    // DynamoDB stores all lone surrogates as the same character, so different ids would become equal.
    throw new RejectedError(
      `awaits.${name}.id(payload) gave a text with half a character (a lone surrogate)`,
    )
  }
  throw new RejectedError(
    `awaits.${name}.id(payload) gave ${id === '' ? 'an empty text' : typeof id}: expected the id that ctx.awaitStep was given`,
  )
}
