import { ConfigError } from '../../base/errors.ts'
import { isObject } from '../../base/kindOf.ts'

/** Options of recordHandler for calls of `ctx` that the handler does not have. */
const WITHOUT_USE = ['results', 'sql', 'undo', 'undoDead'] as const
export type WithoutUse = (typeof WITHOUT_USE)[number]

/** @throws ConfigError for an option that would be ignored. What is no object is refused as by recordHandler. */
export function refuseOptions(options: unknown): void {
  const given = WITHOUT_USE.find((name) => isObject(options) && options[name] !== undefined)
  if (given === undefined) return
  throw new ConfigError(
    `writeHandler: ${given}: not an option of writeHandler, whose handler only returns writes. Use recordHandler.`,
  )
}
