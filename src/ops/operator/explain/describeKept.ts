import { readMarks, type StageRecord } from '../../../claim/stage/stageRecord.ts'
import type { Item, Value } from '../../../store/store.ts'

/** What a finished request has sent: the name of each message, or its target, and its id. */
export function describeSent(sent: Value | undefined): readonly string[] {
  return readSent(sent).map(([name, id]) => `sent to ${name}: ${id}`)
}

function readSent(sent: Value | undefined): readonly (readonly [string, string])[] {
  try {
    const list: unknown = JSON.parse(typeof sent === 'string' ? sent : '[]')
    return Array.isArray(list) ? list.filter(isSent) : []
  } catch {
    return []
  }
}

function isSent(pair: unknown): pair is readonly [string, string] {
  return Array.isArray(pair) && pair.length === 2 && pair.every((part) => typeof part === 'string')
}

/** The effects and calls of the last run of a key, which its record keeps until the next one starts. */
export function describeLastMarks({ run, last }: StageRecord, item: Item): readonly string[] {
  const marks = run === undefined && last !== undefined ? readMarks(item) : undefined
  return marks === undefined || marks.size === 0
    ? []
    : [`its effects and calls: ${[...marks].join(', ')}`]
}
