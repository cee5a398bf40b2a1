/** An error of DynamoDB's, as its protocol answers it. */
export class Refusal extends Error {
  /** The name of the exception. */
  readonly code: string
  readonly fields: Readonly<Record<string, unknown>>

  constructor(code: string, message: string, fields: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.code = code
    this.fields = fields
  }
}

export function invalid(message: string): Refusal {
  return new Refusal('ValidationException', message)
}

export function invalidValue(why: string): Refusal {
  return invalid(`One or more parameter values were invalid: ${why}`)
}

/** @param what such as `Value at 'limit'` */
export function breaksRule(what: string, rule: string): Refusal {
  return invalid(`1 validation error detected: ${what} failed to satisfy constraint: ${rule}`)
}

/** @throws Refusal when the member of a request is missing */
export function requiredMember<T>(value: T | undefined | null, member: string): T {
  if (value !== undefined && value !== null) return value
  throw breaksRule(`Value null at '${member}'`, 'Member must not be null')
}

/** @throws Refusal when a list of a request is empty or too long */
export function checkedLength<T>(list: readonly T[], most: number, member: string): readonly T[] {
  if (list.length >= 1 && list.length <= most) return list
  const bound = list.length === 0 ? 'greater than or equal to 1' : `less than or equal to ${most}`
  throw breaksRule(`Value at '${member}'`, `Member must have length ${bound}`)
}

/** @throws Refusal when two are the same */
export function refuseTwice(
  ids: readonly string[],
  message = 'Provided list of item keys contains duplicates',
): void {
  if (new Set(ids).size < ids.length) throw invalid(message)
}

export function catchRefusal<T>(carryOut: () => T): T | Refusal {
  try {
    return carryOut()
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}
