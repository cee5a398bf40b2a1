import type { FoundItem } from './answer.ts'
import { requestId } from './requestId.ts'

/** The request that an id certainly means; undefined: none, or there is a choice. */
export function onlyRequest(found: readonly FoundItem[]): string | undefined {
  const ids = new Set(found.flatMap(({ items = [] }) => items.map(requestId)))
  const [first] = ids
  const hasLetters = found.some(({ letters = [] }) => letters.length > 0)
  return ids.size === 1 && !hasLetters ? first : undefined
}
