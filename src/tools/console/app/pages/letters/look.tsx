import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type Query, searchOf, valueOf } from '../../address.ts'
import { session, type Common } from '../../api.ts'
import { type Answered, useAnswer } from '../../useAnswer.ts'
import { type Queues, useQueues } from '../../counts.ts'
import { address } from '../../route.ts'
import {
  isStale,
  type Letter,
  type LettersAnswer,
  type LookedAnswer,
  lookPrice,
  seenLetters,
} from './answers.ts'
import { intent } from '../../parts/plans.ts'
import type { UnreadQueue } from '../../../../operator/dlq/findQueues.ts'
import { counted } from '../../parts/words.ts'
import { Empty } from '../../parts/standIns.tsx'

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
 * Looks again at the local queue that the page names, or at all, when their counts say that the last look has missed something, such
 * as what another reader held. Not while a plan is open, because a look would hide the dead letters from it.
 */
export function useFreshLook(
  known: (Common & Queues) | undefined,
  { answer, refresh }: Answered<LookedAnswer>,
): void {
  const isFree = intent.value === undefined && session.value?.local === true
  const queue = valueOf(address.value.query['queue'])
  useEffect(() => {
    if (isFree && known !== undefined && answer !== undefined && isStale(known, queue, answer)) {
      refresh()
    }
    // Once for each answer about the counts: what a look misses again waits for the next one.
  }, [known?.at, isFree])
}

/** In an account a look is bought. */
export function LookButton({ of }: { readonly of: Look<unknown> }) {
  const { answer } = useQueues()
  if (of.isAsked) return null
  const price = answer && lookPrice(answer.queues, valueOf(address.value.query['queue']))
  return (
    <div class="empty">
      <p class="empty-title">Nothing was received yet.</p>
      <p>
        Looking receives the dead letters: that costs requests to SQS, and hides each from other
        readers for up to a minute.
      </p>
      <p>
        <button type="button" class="main" onClick={of.ask}>
          {price === undefined
            ? 'Look at them'
            : `Look at ${counted(price.letters, 'dead letter')}: about ${counted(price.requests, 'request')} to SQS`}
        </button>
      </p>
    </div>
  )
}

/** Queues that could not be looked at: what is on them is missing above. */
export function UnreadQueues({ of }: { readonly of: readonly UnreadQueue[] }) {
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

interface LetterLook extends Look<LettersAnswer> {
  readonly letter: Letter | undefined
}

/**
 * The dead letter that the URL names.
 * @param body with its body
 */
export function useLetter(body: boolean): LetterLook {
  const { query } = address.value
  const id = valueOf(query['letter'])
  const known = body ? undefined : seenLetters.get(id)
  const asked = { queue: query['queue'], id, ...(body && { body: '1' }) }
  const look = useLook<LettersAnswer>('letters', asked, known === undefined)
  return {
    ...look,
    isAsked: known !== undefined || look.isAsked,
    letter: known ?? look.answer?.letters[0],
  }
}

export function Gone({ title }: { readonly title: string }) {
  return (
    <Empty title={title}>
      Redriven, edited or removed; or another reader holds it for up to a minute.{' '}
      <a href="/history?action=dlq">The history</a> shows who did what.{' '}
      <a href="/letters">All groups</a>
    </Empty>
  )
}
