import { signal } from '@preact/signals'
import { type Query, searchOf } from '../../address.ts'
import { session } from '../../session.ts'
import { type Answered, useAnswer } from '../../useAnswer.ts'

interface Look<Fields> extends Answered<Fields> {
  /** Whether the person wants it. Local queues cost nothing. */
  readonly isAsked: boolean
  ask(): void
}

/** Looks that were paid for since the page was loaded: a pasted link must not cost anything by itself. */
const asked = signal<ReadonlySet<string>>(new Set())

/**
 * What is on dead-letter queues. In an account it is read only when a person asks, and never again by itself: each look costs
 * requests, and hides the dead letters from other readers meanwhile.
 * @param needed false: it is known already, and nothing is asked
 */
export function useLook<Fields>(route: string, query: Query, needed = true): Look<Fields> {
  const key = `${route}?${searchOf(query)}`
  const isAsked = session.value?.local === true || asked.value.has(key)
  const answered = useAnswer<Fields>(route, isAsked && needed ? query : undefined, { every: 0 })
  return {
    ...answered,
    isAsked,
    ask: () => {
      asked.value = new Set([...asked.value, key])
    },
  }
}
