import { ConfigError, messageOf, RejectedError } from '../../base/errors.ts'
import { assertKnown } from '../../base/options.ts'
import { kindOf } from '../../base/kindOf.ts'
import type { FlowDefinition } from './flowDefinition.ts'
import { missingIn } from '../../base/ids.ts'

export function assertDefinedName(
  flow: FlowDefinition,
  method: string,
  name: string,
  known: ReadonlyMap<string, unknown>,
): void {
  if (known.has(name)) return
  const names = [...known.keys()].join(', ') || 'none'
  throw new ConfigError(
    `defineFlow('${flow.name}').${method}('${name}'): there is none of this name; there are: ${names}`,
  )
}

export function assertFunction(
  flow: FlowDefinition,
  method: string,
  name: string,
  handler: unknown,
): void {
  if (typeof handler === 'function') return
  throw new ConfigError(
    `defineFlow('${flow.name}').${method}('${name}'): expected a function (payload, ctx), got ${typeof handler}`,
  )
}

/** Checks the names of the other handlers of `answerHandler`, because a handler under a wrong name would never run. */
export function assertOtherHandlers(flow: FlowDefinition, step: string, otherwise: object): void {
  const here = `defineFlow('${flow.name}').answerHandler('${step}')`
  assertKnown(here, otherwise, ['onTimeout', 'onLate'])
  for (const [name, handler] of Object.entries(otherwise)) {
    if (handler === undefined || typeof handler === 'function') continue
    throw new ConfigError(`${here}: ${name}: expected a function, got ${kindOf(handler)}`)
  }
}

export function assertExternalId(flow: FlowDefinition, step: string, id: unknown): void {
  if (typeof id === 'string' && id !== '') return
  throw new ConfigError(
    `defineFlow('${flow.name}').extendTimeout('${step}'): expected the id that ctx.awaitStep was given; got ${kindOf(id)}. ` +
      'Nothing was moved.',
  )
}

export function assertKey(flow: FlowDefinition, key: unknown): void {
  if (typeof key === 'string' && key !== '') return
  throw new ConfigError(
    `defineFlow('${flow.name}').reset: expected a key, as key(payload) gives it; got ${kindOf(key)}. Nothing was reset.`,
  )
}

/** @throws RejectedError naming what `id` returned */
export function externalIdOf(flow: FlowDefinition, name: string, payload: unknown): string {
  let id: unknown
  try {
    id = flow.awaitingSteps.get(name)?.id(payload)
  } catch (error) {
    throw new RejectedError(`awaitingSteps.${name}.id(payload) threw ${messageOf(error)}`, {
      cause: error,
    })
  }
  if (typeof id === 'string' && id !== '') {
    const missing = missingIn(id, payload)
    if (missing !== undefined) {
      throw new RejectedError(
        `awaitingSteps.${name}.id(payload) gave a text with '${missing}' in it: a field of the answer is missing`,
      )
    }
    if (id.isWellFormed()) return id
    // DynamoDB stores all lone surrogates as the same character, so different ids would become equal.
    throw new RejectedError(
      `awaitingSteps.${name}.id(payload) gave a text with half a character (a lone surrogate)`,
    )
  }
  throw new RejectedError(
    `awaitingSteps.${name}.id(payload) gave ${id === '' ? 'an empty text' : typeof id}: expected the id that ctx.awaitStep was given`,
  )
}
