import { messageOf, RejectedError } from '../base/errors.ts'
import { missingIn } from '../base/ids.ts'
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
    const missing = missingIn(id)
    if (missing !== undefined) {
      throw new RejectedError(
        `awaits.${name}.id(payload) gave a text with '${missing}' in it: a field of the answer is missing`,
      )
    }
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
