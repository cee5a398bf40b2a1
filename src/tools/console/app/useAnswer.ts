import { effect, type Signal, signal, untracked } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { type Query, searchOf } from './address.ts'
import { pauseAfter } from './answers.ts'
import { ApiError, type Common, getAnswer, session } from './api.ts'
import { noteAsked, noteLeft, noteTold } from './followServer.ts'
import { isFollowing, period, refreshes } from './live.ts'

export interface Answered<Fields> {
  /** The newest one; it stays while another is on its way. */
  readonly answer: (Common & Fields) | undefined
  /** Why the last request gave none. */
  readonly failure: ApiError | undefined
  readonly loading: boolean
  refresh(): void
}

/**
 * What `GET /api/ROUTE` answers, asked again while the page is visible. Components that ask the same share one answer, which is asked
 * for as often as one of them wants.
 * @param query undefined: nothing is asked
 * @param every at least so long between two requests, milliseconds. Default: a second locally, 30 s in an account. 0: only by hand
 */
export function useAnswer<Fields>(
  route: string,
  query: Query | undefined,
  every?: number,
): Answered<Fields> {
  const poll = useMemo(() => query && pollOf(route, query), [route, query && searchOf(query)])
  // Read when a request is due: another rhythm is no reason to ask at once.
  const wish = useRef<number>(undefined)
  wish.current = every
  useEffect(() => poll?.join(wish), [poll])
  const { answer, failure } = poll?.state.value ?? NOTHING
  return {
    answer: answer as Answered<Fields>['answer'],
    failure,
    loading: poll !== undefined && answer === undefined && failure === undefined,
    refresh: () => poll?.ask(),
  }
}

interface Wish {
  readonly current: number | undefined
}

interface State {
  readonly answer: Common | undefined
  readonly failure: ApiError | undefined
}

const NOTHING: State = { answer: undefined, failure: undefined }

interface Poll {
  readonly state: Signal<State>
  ask(): void
  take(answer: Common): void
  /** @returns unsubscribes; with the last subscriber, the answer is forgotten */
  join(wish: Wish): () => void
}

const polls = new Map<string, Poll>()

function pollOf(route: string, query: Query): Poll {
  const asked = `${route}?${searchOf(query)}`
  const poll = polls.get(asked) ?? newPoll(asked, route, query)
  polls.set(asked, poll)
  return poll
}

/** An answer that came by another way, such as that of a change: each part of the page that shows this route shows it. */
export function give(route: string, answer: Common): void {
  polls.get(`${route}?`)?.take(answer)
}

/** A server that is gone is asked again so often, milliseconds. */
const GONE = 2_000

/** @param asked its name among all polls */
function newPoll(asked: string, route: string, query: Query): Poll {
  const state = signal(NOTHING)
  const wishes = new Set<Wish>()
  let abort = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let stop: (() => void) | undefined

  /** Milliseconds; 0: only by hand. */
  function rhythm(): number {
    const wanted = [...wishes]
      .map(({ current = period.peek() }) => current)
      .filter((every) => every > 0)
    return wanted.length === 0 ? 0 : Math.min(...wanted)
  }

  function again(after: number, isGone = false): void {
    clearTimeout(timer)
    timer = setTimeout(() => {
      if (rhythm() === 0 && !isGone) return
      if (isFollowing.peek()) void ask()
      else again(after, isGone)
    }, after)
  }

  async function ask(): Promise<void> {
    clearTimeout(timer)
    abort.abort()
    const mine = new AbortController()
    abort = mine
    noteAsked(asked)
    const result = await answerOf(route, query, mine.signal)
    if (mine.signal.aborted || result === undefined) return
    const failed = result instanceof ApiError
    noteTold(asked, failed ? result : undefined)
    state.value = failed
      ? { answer: state.peek().answer, failure: result }
      : { answer: result, failure: undefined }
    if (failed && result.status === 0) return again(GONE, true)
    const isFree = failed || session.peek()?.local === true
    const units = isFree ? 0 : result.cost.units
    again(pauseAfter(rhythm(), units))
  }

  return {
    state,
    ask: () => void ask(),
    take: (answer) => {
      // One that is on its way is older.
      abort.abort()
      noteTold(asked)
      state.value = { answer, failure: undefined }
      again(rhythm())
    },
    join: (wish) => {
      wishes.add(wish)
      // Begins at once, and with each refresh by hand.
      stop ??= effect(() => {
        if (refreshes.value >= 0) void untracked(ask)
      })
      return () => {
        wishes.delete(wish)
        if (wishes.size > 0) return
        stop?.()
        stop = undefined
        clearTimeout(timer)
        abort.abort()
        noteLeft(asked)
        state.value = NOTHING
      }
    },
  }
}

/** @returns undefined when it was aborted */
async function answerOf(
  route: string,
  query: Query,
  signal: AbortSignal,
): Promise<Common | ApiError | undefined> {
  try {
    return await getAnswer<object>(route, query, signal)
  } catch (error) {
    if (signal.aborted) return undefined
    return ApiError.of(error)
  }
}
