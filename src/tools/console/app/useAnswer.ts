import { useSignalEffect } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError, type Common, get } from './api.ts'
import { type Query, searchOf } from './address.ts'
import { pauseAfter } from './answers.ts'
import { during, isFollowing, period, refreshes } from './live.ts'
import { session } from './session.ts'

export interface Answered<Fields> {
  /** The newest one; it stays while another is on its way. */
  readonly answer: (Common & Fields) | undefined
  /** Why the last request gave none. */
  readonly failure: ApiError | undefined
  readonly loading: boolean
  /** Asks again now. */
  refresh(): void
}

interface Following {
  /** At least so long between two requests, milliseconds. Default: a second locally, 30 s in an account. 0: only by hand. */
  readonly every?: number
}

/** A server that is gone is asked again so often, milliseconds. */
const GONE = 2_000

/**
 * What `GET /api/ROUTE` answers, asked again while the page is visible.
 * @param query undefined: nothing is asked
 */
export function useAnswer<Fields>(
  route: string,
  query: Query | undefined,
  { every }: Following = {},
): Answered<Fields> {
  const asked = query === undefined ? undefined : `${route}?${searchOf(query)}`
  const [turn, setTurn] = useState(0)
  const [state, setState] = useState<State<Fields>>(NOTHING)
  const shown = state.asked === asked ? state : NOTHING
  // Read when a request is due: another rhythm is no reason to ask at once.
  const rhythm = useRef(every)
  rhythm.current = every
  const seen = useRef(refreshes.peek())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  useSignalEffect(() => {
    if (refreshes.value === seen.current) return
    seen.current = refreshes.value
    setTurn((each) => each + 1)
  })

  useEffect(() => {
    if (query === undefined) return undefined
    const abort = new AbortController()
    let isOver = false
    const again = (after: number, isGone = false): void => {
      clearTimeout(timer.current)
      timer.current = setTimeout(() => {
        if (rhythm.current === 0 && !isGone) return
        if (isFollowing.peek()) void ask()
        else again(after, isGone)
      }, after)
    }
    const ask = async (): Promise<void> => {
      const begun = performance.now()
      const result = await answerOf<Fields>(route, query, abort.signal)
      if (isOver || result === undefined) return
      setState((before) => ({
        asked,
        answer: result instanceof ApiError ? keep(before, asked) : result,
        failure: result instanceof ApiError ? result : undefined,
      }))
      const pause = rhythm.current ?? period.peek()
      if (result instanceof ApiError && result.status === 0) again(GONE, true)
      else if (pause > 0) {
        const isFree = result instanceof ApiError || session.peek()?.local === true
        const units = isFree ? 0 : result.cost.units
        again(pauseAfter(pause, { took: performance.now() - begun, units }))
      }
    }
    void ask()
    return () => {
      isOver = true
      clearTimeout(timer.current)
      abort.abort()
    }
  }, [asked, turn])

  return {
    answer: shown.answer,
    failure: shown.failure,
    loading: asked !== undefined && shown.answer === undefined && shown.failure === undefined,
    refresh: () => setTurn((each) => each + 1),
  }
}

interface State<Fields> {
  readonly asked: string | undefined
  readonly answer: (Common & Fields) | undefined
  readonly failure: ApiError | undefined
}

const NOTHING = { asked: undefined, answer: undefined, failure: undefined }

function keep<Fields>(
  { asked, answer }: State<Fields>,
  now: string | undefined,
): State<Fields>['answer'] {
  return asked === now ? answer : undefined
}

/** @returns undefined when it was aborted */
async function answerOf<Fields>(
  route: string,
  query: Query,
  signal: AbortSignal,
): Promise<(Common & Fields) | ApiError | undefined> {
  try {
    return await during(get<Fields>(route, query, signal))
  } catch (error) {
    if (signal.aborted) return undefined
    return error instanceof ApiError ? error : new ApiError(500, String(error))
  }
}
