import { ConfigError } from '../../base/errors.ts'
import { kindOf } from '../../base/kindOf.ts'

/** @throws ConfigError naming the first option of `options` that is not among `known`. */
export function refuseUnknown(where: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null) {
    throw new ConfigError(`${where}: expected an object of options, got ${kindOf(options)}`)
  }
  const unknown = Object.keys(options).find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw new ConfigError(
    `${where}.${unknown}: unknown option, expected one of ${known.join(', ')}, got ${shown(options, unknown)}`,
  )
}

/** @throws ConfigError unless `value` is what the option takes. */
export function checkIs(option: string, isRight: boolean, expected: string, value: unknown): void {
  if (!isRight) throw new ConfigError(`${option}: expected ${expected}, got ${kindOf(value)}`)
}

/** Checks for the method instead of the class, so that objects from another copy of a package pass. */
export function hasMethod(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && name in value
}

/** @throws ConfigError unless `value` is undefined or a whole number from `least` to `most`. */
export function checkWhole(option: string, value: unknown, least: number, most: number): void {
  if (value === undefined) return
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most)
    return
  throw new ConfigError(
    `${option}: expected a whole number from ${least} to ${most}, got ${JSON.stringify(value)}`,
  )
}

function shown(options: object, name: string): string {
  return JSON.stringify(new Map<string, unknown>(Object.entries(options)).get(name)) ?? 'a function'
}
