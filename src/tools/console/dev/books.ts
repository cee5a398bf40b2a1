import type { Clock } from '../../../library/base/clock.ts'
import type { BookState } from '../../../testing/local/dev/bookContext.ts'
import type { WrittenAgain } from '../../../testing/local/dev/writtenAgain.ts'
import type { LocalEvent } from '../../../testing/local/observe/event.ts'
import type { BooksAnswer, DevBook } from './types.ts'

export interface BooksReader {
  observe(event: LocalEvent): void
  /** Something else has changed that books read. */
  touch(): void
  read(): Promise<BooksAnswer>
}

interface BooksOptions {
  readonly clock: Clock
  readonly again: WrittenAgain
  isAtRest(): boolean
  names(): readonly string[]
  /** Undefined: FILE's books cannot be read now. */
  own(atRest: boolean): Promise<readonly BookState[]> | undefined
}

/** The books are not read more often than this, however many pages look at them. */
const EVERY_MS = 500
const MOST_OFFENCES = 10

/** Reads the books when something has ended since they were last read. */
export function keepBooks({ clock, again, isAtRest, names, own }: BooksOptions): BooksReader {
  let isStale = true
  let last: BooksAnswer | undefined
  let lastAt = 0
  let reading: Promise<BooksAnswer> | undefined

  async function readAll(): Promise<BooksAnswer> {
    const atRest = isAtRest()
    isStale = false
    lastAt = clock.now()
    const found = await (own(atRest) ?? unknown()).catch(unknown)
    last = { atRest, books: [...found.map(ofFile), ofEvents(again)] }
    return last
  }

  /** They are read again as soon as they can be. */
  async function unknown(): Promise<readonly Unread[]> {
    isStale = true
    return names().map((name) => ({ name, state: 'unknown', offending: [] }))
  }

  return {
    observe: (event) => {
      if (event.type === 'ended' || event.type === 'call') isStale = true
    },
    touch: () => {
      isStale = true
    },
    read: async () => {
      const isFresh = !isStale && last?.atRest === isAtRest()
      const isSoon = clock.now() - lastAt < EVERY_MS
      if (last !== undefined && (isFresh || isSoon)) return last
      reading ??= readAll().finally(() => {
        reading = undefined
      })
      return reading
    },
  }
}

type Unread = Omit<BookState, 'state'> & { readonly state: BookState['state'] | 'unknown' }

function ofFile({ name, state, offending, note }: Unread): DevBook {
  return {
    name,
    kind: 'own',
    state,
    offending: offending.slice(0, MOST_OFFENCES).map((text) => ({ text })),
    count: offending.length,
    ...(note !== undefined && { note }),
  }
}

function ofEvents({ name, read }: WrittenAgain): DevBook {
  const found = read()
  return {
    name,
    kind: 'automatic',
    state: found.length === 0 ? 'green' : 'red',
    offending: found.slice(0, MOST_OFFENCES),
    count: found.length,
  }
}
