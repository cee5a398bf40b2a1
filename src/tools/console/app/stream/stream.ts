import { effect, type ReadonlySignal, signal } from '@preact/signals'
import { ApiError, open, session } from '../api.ts'
import { isFollowing } from '../live.ts'
import { type Activity, newActivity } from './activity.ts'
import { type Frame, newNumbering, readLines } from './frames.ts'

/**
 * - `off`: the page is hidden or halted.
 * - `none`: this console has no stream: it looks at an account.
 */
type StreamState = 'off' | 'connecting' | 'open' | 'lost' | 'none'

const numbering = newNumbering()
const state = signal<StreamState>('off')
const frame = signal(0)
const missed = signal(0)

/** What has happened while it was looked at. Read `frames` beside it: it changes in place. */
export const activity: Activity = newActivity()
/** Grows when events were taken, at most ten times a second. */
export const frames: ReadonlySignal<number> = frame
export const streamState: ReadonlySignal<StreamState> = state
/** Events that did not come. */
export const skipped: ReadonlySignal<number> = missed

/** Follows the stream, if there is one, while the page is visible and followed. */
export function followStream(): void {
  effect(() => {
    if (session.value?.live === true && isFollowing.value) return connect()
    if (session.value?.live === false) state.value = 'none'
    return undefined
  })
}

/** Milliseconds. */
const FIRST_WAIT = 250
const LONGEST_WAIT = 8_000

/** @returns ends the connection */
function connect(): () => void {
  const abort = new AbortController()
  void reconnect(abort.signal)
  return () => {
    abort.abort()
    if (state.peek() !== 'none') state.value = 'off'
  }
}

async function reconnect(signal: AbortSignal): Promise<void> {
  let wait = FIRST_WAIT
  state.value = 'connecting'
  while (!signal.aborted) {
    try {
      await read(signal, () => {
        wait = FIRST_WAIT
      })
    } catch (error) {
      if (signal.aborted) return
      const status = error instanceof ApiError ? error.status : 0
      // Another token, or no such route: asking again changes nothing.
      if (status === 401 || status === 404) {
        state.value = 'none'
        return
      }
    }
    if (signal.aborted) return
    state.value = 'lost'
    await new Promise((resolve) => setTimeout(resolve, wait))
    wait = Math.min(LONGEST_WAIT, wait * 2)
  }
}

async function read(signal: AbortSignal, opened: () => void): Promise<void> {
  const { body } = await open(`/api/events?after=${numbering.last}`, { signal })
  if (body === null) return
  state.value = 'open'
  opened()
  for await (const line of readLines(body)) {
    const event = numbering.take(line as Frame)
    if (event !== undefined) activity.take(event)
    draw()
  }
}

let isAsked = false

/** More pictures a second say no more, and take the time of what is looked at. Milliseconds. */
const BETWEEN = 100
let drawn = 0

/** All events between two pictures are shown by the second one. */
function draw(): void {
  if (isAsked) return
  isAsked = true
  setTimeout(() => requestAnimationFrame(show), drawn + BETWEEN - performance.now())
}

function show(): void {
  isAsked = false
  drawn = performance.now()
  missed.value = numbering.skipped
  frame.value += 1
}
