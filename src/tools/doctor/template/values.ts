export type Values = Readonly<Record<string, unknown>>

export function asValues(value: unknown): Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Values)
    : {}
}

export function asList(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value : [value]
}

/** A text, number or boolean as text; JSON for anything else. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return value === undefined || value === null ? '' : JSON.stringify(value)
}

/** @param fallback when it is absent. A text that is no number is known only when it is deployed: undefined. */
export function numberOf(value: unknown, fallback: number): number | undefined {
  if (value === undefined || value === null) return fallback
  const number = textOf(value).trim() === '' ? Number.NaN : Number(textOf(value))
  return Number.isNaN(number) ? undefined : number
}

export function isOn(value: unknown): boolean {
  return textOf(value) === 'true'
}

/** Not what an object inherits: a file may name a resource or a parameter `constructor`. */
export function own(values: Values, key: string): unknown {
  return Object.hasOwn(values, key) ? values[key] : undefined
}

/** CloudFormation takes a policy as an object, and as a text of JSON. */
export function jsonOf(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}
