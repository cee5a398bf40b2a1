import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type Query, searchOf, valueOf } from '../../address.ts'
import { session, type Common } from '../../api.ts'
import { type Answered, useAnswer } from '../../useAnswer.ts'
import { type Queues, useQueues } from '../../counts.ts'
import { address } from '../../route.ts'
import { isStale, type Letter, type Letters, lookPrice, seenLetter } from './answers.ts'
import { intent } from '../../parts/plans.ts'
import type { UnreadQueue } from '../../../../operator/dlq/findQueues.ts'
import { counted } from '../../parts/words.ts'

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
  const answered = useAnswer<Fields>(route, isAsked && needed ? query : undefined, 0)
  return {
    ...answered,
    isAsked,
    ask: () => {
      asked.value = new Set([...asked.value, key])
    },
  }
}

/**
 * Looks again at local queues when their counts say that the last look has missed something, such as what another reader held. Not
 * while a plan is open, because a look would hide the dead letters from it.
 * @param queue name of the only queue that was looked at; '': all
 * @param looked how many were looked at; undefined: not all of them were wanted
 */
export function useFreshLook(
  known: (Common & Queues) | undefined,
  queue: string,
  looked: number | undefined,
  refresh: () => void,
): void {
  const isFree = intent.value === undefined && session.value?.local === true
  useEffect(() => {
    if (isFree && known !== undefined && looked !== undefined && isStale(known, queue, looked)) {
      refresh()
    }
    // Once for each answer about the counts: what a look misses again waits for the next one.
  }, [known?.at, isFree])
}

/** In an account a look is bought. */
export function LookButton({
  of: { isAsked, ask },
}: {
  readonly of: Pick<Look<unknown>, 'isAsked' | 'ask'>
}) {
  const { answer } = useQueues()
  if (isAsked) return null
  const price = answer && lookPrice(answer.queues, valueOf(address.value.query['queue']))
  return (
    <div class="empty">
      <p class="empty-title">Nothing was received yet.</p>
      <p>
        Looking receives the dead letters: that costs requests to SQS, and hides each from other
        readers for up to a minute.
      </p>
      <p>
        <button type="button" class="main" onClick={ask}>
          {price === undefined
            ? 'Look at them'
            : `Look at ${counted(price.letters, 'dead letter')}: about ${counted(price.requests, 'request')} to SQS`}
        </button>
      </p>
    </div>
  )
}

/** Queues that could not be looked at: what is on them is missing above. */
export function Unread({ of }: { readonly of: readonly UnreadQueue[] }) {
  if (of.length === 0) return null
  return (
    <ul class="lines">
      {of.map(({ url, name, why }) => (
        <li key={url} class="tone-warn">
          <span aria-hidden="true">! </span>
          not read: {`${name}: ${why}`}
        </li>
      ))}
    </ul>
  )
}

interface LetterLook extends Look<Letters> {
  readonly letter: Letter | undefined
}

/**
 * The dead letter that the URL names.
 * @param body with its body
 */
export function useLetter(body: boolean): LetterLook {
  const { query } = address.value
  const id = valueOf(query['letter'])
  const seen = body ? undefined : seenLetter(id)
  const asked = { queue: query['queue'], id, ...(body && { body: '1' }) }
  const look = useLook<Letters>('letters', asked, seen === undefined)
  return {
    ...look,
    isAsked: seen !== undefined || look.isAsked,
    letter: seen ?? look.answer?.letters[0],
  }
}
