import { isObject } from '../../../base/kindOf.ts'

/** The object in `text`; undefined for anything else. Nested JSON is safe here, because nothing recurses into it. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
    // @survives BlockStatement: a function that ends without a return gives undefined as well.
  } catch {
    return undefined
  }
}

/** A replacer of JSON.stringify: `this` holds `value` under `name`. */
type Replacer = (this: unknown, name: string, value: unknown) => unknown

/** JSON that a queue accepts: U+FFFE and U+FFFF are legal in JSON, but not in a message. */
export function toMessageJson(value: unknown, replacer?: Replacer): string {
  return JSON.stringify(value, replacer).replace(/[\ufffe\uffff]/g, (char) =>
    char === '\ufffe' ? '\\ufffe' : '\\uffff',
  )
}

/** The longest start of `text` that takes at most `bytes` as the inside of a JSON string in UTF-8. */
export function shorten(text: string, bytes: number): string {
  let used = 0
  let end = 0
  for (const char of text) {
    used += Buffer.byteLength(toMessageJson(char)) - '""'.length
    if (used > bytes) break
    end += char.length
  }
  return text.slice(0, end)
}
