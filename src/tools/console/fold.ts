import { isObject } from '../../base/kindOf.ts'
import { mapValues, type Hidden } from './hide.ts'

/** Characters from which a text is folded: a page that draws it would stand still. */
const LARGE = 256 * 1_024
const START = 4_096

/** Large texts with their size and their beginning in place of the whole. */
export function fold(value: unknown): unknown {
  if (typeof value === 'string' && value.length > LARGE) {
    return { bytes: Buffer.byteLength(value), start: value.slice(0, START) } satisfies Hidden
  }
  if (Array.isArray(value)) return (value as unknown[]).map(fold)
  return isObject(value) ? mapValues(value, (_, each) => fold(each)) : value
}
