import { isObject } from '../../../base/kindOf.ts'
import { RequestError } from '../reply.ts'

/** @throws RequestError 400 unless the body is an object with known fields only */
export function readFields<const Name extends string>(
  body: unknown,
  names: readonly Name[],
): { readonly [Field in Name]?: unknown } {
  if (!isObject(body)) throw new RequestError(400, 'expected a JSON object')
  const unknown = Object.keys(body).find((name) => !(names as readonly string[]).includes(name))
  if (unknown === undefined) return body as { readonly [Field in Name]?: unknown }
  const expected = names.length === 0 ? 'nothing' : names.join(', ')
  throw new RequestError(400, `${JSON.stringify(unknown)} is not known here: expected ${expected}`)
}

/** @throws RequestError 400 */
export function textIn(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value
  throw new RequestError(400, `${name}: expected a text`)
}

/** @throws RequestError 400 */
export function flagIn(name: string, value: unknown = false): boolean {
  if (typeof value === 'boolean') return value
  throw new RequestError(400, `${name}: expected true or false`)
}

/** @throws RequestError 400 */
export function wholeIn(name: string, value: unknown, least: number, most: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most)
    return value
  throw new RequestError(400, `${name}: expected a whole number from ${least} to ${most}`)
}

/** @throws RequestError 400 */
export function oneOf<const Value extends string>(
  name: string,
  value: unknown,
  known: readonly Value[],
): Value {
  const found = known.find((each) => each === value)
  if (found !== undefined) return found
  throw new RequestError(400, `${name}: expected one of ${known.join(', ')}`)
}
