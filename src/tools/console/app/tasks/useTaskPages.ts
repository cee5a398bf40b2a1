import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError, type Common, get } from '../api.ts'
import type { OpenItem, Tasks } from '../answers.ts'
import { type Query, searchOf } from '../address.ts'
import { during } from '../live.ts'
import type { Rows } from '../parts/Table.tsx'
import { useAnswer } from '../useAnswer.ts'
import {
  itemAt,
  missingPage,
  NO_PAGES,
  PAGE,
  rowCount,
  type TaskPages,
  withPage,
} from './taskPages.ts'

interface PagedTasks {
  readonly rows: Rows<OpenItem>
  /** The first page as it was answered. */
  readonly first: (Common & Tasks) | undefined
  readonly failure: ApiError | undefined
  readonly loading: boolean
  refresh(): void
}

/** A listing of any length. Its first page follows what happens, until another one is read: then it stands still. */
export function useTaskPages(filter: Query): PagedTasks {
  const query = { ...filter, most: String(PAGE) }
  const asked = searchOf(query)
  const [state, setState] = useState<{ readonly asked: string; readonly all: TaskPages }>({
    asked,
    all: NO_PAGES,
  })
  const [failure, setFailure] = useState<ApiError | undefined>(undefined)
  const loading = useRef<number | undefined>(undefined)
  const all = state.asked === asked ? state.all : NO_PAGES
  const isPaged = all.cursors.length > 2
  const { answer, ...first } = useAnswer<Tasks>('tasks', query, isPaged ? { every: 0 } : {})

  useEffect(() => {
    if (answer === undefined) return
    loading.current = undefined
    setState({ asked, all: withPage(NO_PAGES, 0, answer) })
  }, [answer, asked])

  const load = async (page: number): Promise<void> => {
    loading.current = page
    try {
      const more = await during(get<Tasks>('tasks', { ...query, after: all.cursors[page] }))
      // Another filter, or a refresh, has taken its place meanwhile.
      if (loading.current !== page) return
      setState((now) => (now.asked === asked ? { asked, all: withPage(now.all, page, more) } : now))
      setFailure(undefined)
    } catch (error) {
      setFailure(ApiError.of(error))
    } finally {
      if (loading.current === page) loading.current = undefined
    }
  }

  return {
    rows: {
      count: rowCount(all),
      at: (index) => itemAt(all, index),
      need: (from, end) => {
        const page = missingPage(all, from, end)
        if (page !== undefined && page > 0 && loading.current === undefined) void load(page)
        else if (page === 0 && all.cursors.length > 1 && loading.current === undefined) void load(0)
      },
    },
    first: answer,
    failure: first.failure ?? failure,
    loading: first.loading,
    refresh: first.refresh,
  }
}
