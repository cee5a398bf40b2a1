import type { Cost } from '../answers.ts'

/** `GET /api/search` */
export interface SearchAnswer {
  readonly q: string
  readonly cost: Cost
  readonly found: readonly FoundItem[]
  readonly notSearched: readonly Unsearched[]
}

/** What one command has found under the id. */
export interface FoundItem {
  readonly by: Place
  /** The command that shows it. */
  readonly line: string
  /** Partition keys of the items; of the log the id itself. */
  readonly items?: readonly string[]
  readonly letters?: readonly FoundLetter[]
}

/** A dead letter, without its body. */
interface FoundLetter {
  readonly queue?: string
  readonly messageId?: string
  readonly id?: string
  readonly reason?: string
  readonly error?: string
}

/** Where it was not looked, and what that would cost. */
export interface Unsearched {
  readonly place: Place
  readonly why: string
  /** The parameter that searches there. */
  readonly ask?: 'letters' | 'scan' | 'scope'
  /** Read units of DynamoDB. */
  readonly units?: number
}

type Place = 'key' | 'caller key' | 'owner' | 'log' | 'dead letters' | 'whole table'

/**
 * The id that `explain` accepts, of a partition key: `flow#returns/return-62` → `returns/return-62`. What has no such prefix is an
 * id already.
 */
export function requestId(pk: string): string {
  return pk.replace(/^[a-z]+#(?=[^#]*\/)/, '')
}

/** The request that an id certainly means; undefined: none, or there is a choice. */
export function onlyRequest(found: readonly FoundItem[]): string | undefined {
  const ids = new Set(found.flatMap(({ items = [] }) => items.map(requestId)))
  const [first] = ids
  const hasLetters = found.some(({ letters = [] }) => letters.length > 0)
  return ids.size === 1 && !hasLetters ? first : undefined
}
