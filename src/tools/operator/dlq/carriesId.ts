/** How deep a payload is looked into: one that is nested deeper names no request there. */
const DEEPEST = 32

/**
 * Whether a payload has the id as a whole value: of a JSON payload a text or a number, of any other a word. So `order-1` is not found
 * in `order-17`.
 */
export function carriesId(payload: string, id: string): boolean {
  if (id === '') return false
  let value: unknown
  try {
    value = JSON.parse(payload)
  } catch {
    return hasWord(payload, id)
  }
  return hasValue(value, id, DEEPEST)
}

function hasValue(value: unknown, id: string, deep: number): boolean {
  if (typeof value === 'string' || typeof value === 'number') return String(value) === id
  if (typeof value !== 'object' || value === null || deep === 0) return false
  return Object.values(value).some((each) => hasValue(each, id, deep - 1))
}

const IN_WORD = /[\p{L}\p{N}_-]/u

function hasWord(text: string, id: string): boolean {
  for (let at = text.indexOf(id); at >= 0; at = text.indexOf(id, at + 1)) {
    const around = [text[at - 1] ?? '', text[at + id.length] ?? '']
    if (!around.some((each) => IN_WORD.test(each))) return true
  }
  return false
}
