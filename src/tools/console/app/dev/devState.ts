import { effect, type ReadonlySignal, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { BooksAnswer, DevState, FaultBody } from '../../dev/index.ts'
import { ApiError, open } from '../api.ts'
import { isFollowing, refreshes } from '../live.ts'

const shown = signal<DevState | undefined>(undefined)
const read = signal<BooksAnswer | undefined>(undefined)
const failed = signal<ApiError | undefined>(undefined)

export const devState: ReadonlySignal<DevState | undefined> = shown
export const books: ReadonlySignal<BooksAnswer | undefined> = read
/** Why the newest request gave no answer. */
export const devFailure: ReadonlySignal<ApiError | undefined> = failed

/** A double is shown within two seconds: the books are read by the server in between. Milliseconds. */
const EVERY = 700

let users = 0
let stop: (() => void) | undefined

/** Asks for the state of `lineclear dev`, and for its books, while the component is shown. */
export function useDev(): void {
  useEffect(() => {
    users += 1
    stop ??= effect(() => {
      // Read here, so that a refresh by hand asks at once.
      if (refreshes.value >= 0 && isFollowing.value) return keepAsking()
      return undefined
    })
    return () => {
      users -= 1
      if (users > 0) return
      stop?.()
      stop = undefined
    }
  }, [])
}

function keepAsking(): () => void {
  const abort = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const ask = async (): Promise<void> => {
    await Promise.all([
      take(askDev<DevState>('/api/dev', abort.signal), shown, abort.signal),
      take(askDev<BooksAnswer>('/api/dev/books', abort.signal), read, abort.signal),
    ])
    if (!abort.signal.aborted && !isRefused()) timer = setTimeout(() => void ask(), EVERY)
  }
  void ask()
  return () => {
    abort.abort()
    clearTimeout(timer)
  }
}

/** Asking again changes nothing. */
function isRefused(): boolean {
  return failed.peek()?.status === 401 || failed.peek()?.status === 404
}

async function take<Answer>(
  asked: Promise<Answer>,
  into: { value: Answer | undefined },
  signal?: AbortSignal,
): Promise<void> {
  try {
    into.value = await asked
    failed.value = undefined
  } catch (error) {
    if (signal?.aborted === true) return
    failed.value = error instanceof ApiError ? error : new ApiError(500, String(error))
  }
}

/** @throws ApiError */
export async function setFault(body: FaultBody): Promise<void> {
  shown.value = await tellDev<DevState>('/api/dev/fault', body)
}

/** Loads the handlers again. @throws ApiError */
export async function reload(): Promise<void> {
  shown.value = await tellDev<DevState>('/api/dev/reload', {})
}

/** @throws ApiError */
async function askDev<Answer>(path: string, signal?: AbortSignal): Promise<Answer> {
  const response = await open(path, signal && { signal })
  return (await response.json()) as Answer
}

/** @throws ApiError */
export async function tellDev<Answer>(path: string, body: object): Promise<Answer> {
  const response = await open(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return (await response.json()) as Answer
}
