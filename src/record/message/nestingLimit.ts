/** JSON.parse accepts any nesting, but schemas, JSON.stringify and structuredClone recurse and can overflow the stack. */
export const MAX_NESTING = 64

const QUOTE = 34
const BACKSLASH = 92
const [OPEN_BRACE, CLOSE_BRACE] = [123, 125]
const [OPEN_BRACKET, CLOSE_BRACKET] = [91, 93]

export function exceedsNestingLimit(json: string): boolean {
  let nesting = 0
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) at = endOfString(json, at)
    else if (opens(code)) nesting += 1
    else if (closes(code)) nesting -= 1
    if (nesting > MAX_NESTING) return true
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
  return code === OPEN_BRACE || code === OPEN_BRACKET
}

function closes(code: number): boolean {
  return code === CLOSE_BRACE || code === CLOSE_BRACKET
}
