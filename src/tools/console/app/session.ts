import { type ReadonlySignal, signal } from '@preact/signals'
import { ApiError, get } from './api.ts'
import type { Session } from './answers.ts'

const shown = signal<Session | undefined>(undefined)
const failed = signal<ApiError | undefined>(undefined)

/** What the console looks at; undefined until the server has told it. */
export const session: ReadonlySignal<Session | undefined> = shown
/** Why it is not known. */
export const sessionFailure: ReadonlySignal<ApiError | undefined> = failed

/** Milliseconds. */
const AGAIN = 2_000

/** Asks until there is an answer. A wrong token stays wrong. */
export async function loadSession(): Promise<void> {
  try {
    shown.value = (await get<{ readonly session: Session }>('session')).session
    failed.value = undefined
  } catch (error) {
    failed.value = error instanceof ApiError ? error : new ApiError(0, String(error))
    if (failed.value.status !== 401) setTimeout(() => void loadSession(), AGAIN)
  }
}
