import { isObject } from '../../base/kindOf.ts'
import type { Reply } from './reply.ts'

/** Stands for a text that is not shown: its length in bytes, and of a large one its beginning. */
interface Hidden {
  readonly bytes: number
  readonly start?: string
}

/** Attributes of items that hold payloads, results or answers; those of calls begin with `done:`. */
const VALUES = /^(?:payload|body|message|letter|result|answer|text)$/

/** The answer of `show`, without the values that its items hold. */
export function withoutValues({ status, body }: Reply): Reply {
  const { items } = body
  if (!Array.isArray(items)) return { status, body }
  return { status, body: { ...body, items: (items as unknown[]).map(withoutValuesOf) } }
}

function withoutValuesOf(item: unknown): unknown {
  if (!isObject(item)) return item
  return mapValues(item, (name, value) =>
    typeof value === 'string' && (VALUES.test(name) || value.startsWith('done:'))
      ? ({ bytes: Buffer.byteLength(value) } satisfies Hidden)
      : value,
  )
}

function mapValues(
  object: Readonly<Record<string, unknown>>,
  change: (name: string, value: unknown) => unknown,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, change(name, value)]),
  )
}

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
