/** JSON.parse takes any depth, but schemas, JSON.stringify and structuredClone recurse and overflow the stack. */
export const MAX_NESTING = 64

const QUOTE = 34
const BACKSLASH = 92

export function exceedsNestingLimit(json: string): boolean {
  let depth = 0
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) at = endOfString(json, at)
    else if (opens(code)) depth += 1
    else if (closes(code)) depth -= 1
    if (depth > MAX_NESTING) return true
  }
  return false
}

function endOfString(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === BACKSLASH) at += 1
    else if (code === QUOTE) return at
  }
  return json.length
}

function opens(code: number): boolean {
  return code === 123 || code === 91
}

function closes(code: number): boolean {
  return code === 125 || code === 93
}
