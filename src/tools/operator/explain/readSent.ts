import type { Value } from '../../../store/store.ts'
import type { MessageFacts } from './factParts.ts'

/** What a finished request has sent: the name of each message, or its target, and its id. */
export function readSent(sent: Value | undefined): readonly MessageFacts[] {
  try {
    const list: unknown = JSON.parse(typeof sent === 'string' ? sent : '[]')
    if (!Array.isArray(list)) return []
    return list.filter(isSent).map(([name, id]) => ({ name, id }))
  } catch {
    return []
  }
}

function isSent(pair: unknown): pair is readonly [string, string] {
  return Array.isArray(pair) && pair.length === 2 && pair.every((part) => typeof part === 'string')
}
