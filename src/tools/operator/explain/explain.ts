import type { HomeQueue } from '../item/task.ts'
import { describeFacts, titleOf } from './describeFacts.ts'
import type { Facts } from './facts.ts'
import { factsOf } from './factsOf.ts'
import type { StoredRequest } from './readRequest.ts'

/** One item: what is known of it, and the same in words. */
export interface Explanation {
  readonly title: string
  readonly lines: readonly string[]
  readonly facts: Facts
}

interface ExplainOptions {
  /** A `uniquerequestid`: adds what a flow remembers of it. */
  readonly request?: string | undefined
  /** Where dead letters are redriven from. Default: not known. */
  readonly homeQueue?: HomeQueue
}

/** Each item: its state, what the next delivery does, which commands may help. */
export function explainRequest(
  { items: siblings }: StoredRequest,
  now: number,
  options: ExplainOptions = {},
): readonly Explanation[] {
  return siblings.map((item) => {
    const facts = factsOf(item, { ...options, now, siblings })
    return { title: titleOf(facts), lines: describeFacts(facts, now), facts }
  })
}
