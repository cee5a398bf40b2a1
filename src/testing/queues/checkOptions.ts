import { ConfigError } from '../../errors.ts'

/** @throws ConfigError naming the first option of `options` that is not among `known`. */
export function refuseUnknown(where: string, options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw new ConfigError(
    `${where}.${unknown}: unknown option, expected one of ${known.join(', ')}, got ${shown(options, unknown)}`,
  )
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
