import { type Change, compileChange } from './change.ts'
import { compileCondition, type Test } from './condition.ts'
import type { Attribute } from './item.ts'

/** The members of a request that hold a condition, and what its texts name. */
export interface Texts {
  readonly ConditionExpression?: string
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>
  readonly ExpressionAttributeValues?: Readonly<Record<string, Attribute>>
}

export const ALWAYS: Test = () => true

/** Each text is read once: a peer sends the same few all the time. */
export function remember<T>(make: (text: string) => T): (text: string) => T {
  const made = new Map<string, T>()
  return (text) => {
    const known = made.get(text) ?? make(text)
    made.set(text, known)
    return known
  }
}

export const testOf: (text: string) => Test = remember(compileCondition)
export const changeOf: (text: string) => Change = remember(compileChange)
