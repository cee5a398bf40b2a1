import { endOfString } from '../message/parsePayload.ts'

/**
 * The text of a field of the object that `json` is, as its sender wrote it: a number of many digits, read and written again, would
 * be another one. Where several fields have the name, the last counts, as it does for JSON.parse, which has read `json` before.
 */
export function memberText(json: string, name: string): string {
  let nesting = 0
  let key = ''
  let start = 0
  let found = ''
  for (let at = 0; at < json.length; at++) {
    const char = json[at]
    if (nesting === 1 && start > 0 && (char === ',' || char === '}')) {
      if (JSON.parse(key) === name) found = json.slice(start, at).trim()
      start = 0
    }
    if (char === '"') {
      const end = endOfString(json, at)
      if (start === 0) key = json.slice(at, end + 1)
      at = end
    } else if (char === ':' && nesting === 1) start = at + 1
    else if (char === '{' || char === '[') nesting += 1
    else if (char === '}' || char === ']') nesting -= 1
  }
  return found
}

/** The value of JSON, in which a number that JSON.parse rounds is the text that its sender wrote. */
export function exactValue(json: string): unknown {
  return JSON.parse(json, (_name, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' ? exactNumber(value, context?.source ?? String(value)) : value,
  )
}

function exactNumber(value: number, written: string): number | string {
  // @protects events that differ only in a long number are not the same event
  // @without value
  return /\d{16}/.test(written.replace('.', '')) && String(value) !== written ? written : value
}
