import type { Advice } from '../item/advice.ts'

/** What every kind has. */
export interface ItemFacts {
  /** `consumer/ID`, `flow/KEY` or `later/ID`, as the commands accept it. */
  readonly id: string
  readonly pk: string
  readonly sk: string
  /** Consumer, scope or flow. Empty for a delayed message. */
  readonly of: string
  /** The last change by an operator. */
  readonly operator: OperatorFacts | undefined
  /** In the order in which they are best read. */
  readonly advice: readonly Advice[]
}

interface OperatorFacts {
  readonly did: string
  readonly by: string
  /** undefined: the time that is stored cannot be read. */
  readonly at: number | undefined
  readonly why: string
}
