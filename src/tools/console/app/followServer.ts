import { effect, type ReadonlySignal, signal } from '@preact/signals'
import { ApiError, getAnswer } from './api.ts'
import { type Contact, newContacts } from './contact.ts'
import { isFollowing } from './live.ts'

const contacts = newContacts()
const state = signal<Contact>('waiting')

/** Whether the server, and the cloud behind it, answer what this page asks. */
export const contact: ReadonlySignal<Contact> = state

function update(): void {
  state.value = contacts.stateAt(Date.now())
}

export function noteAsked(what: string): void {
  contacts.asked(what, Date.now())
  update()
}

/** @param failure undefined: it was answered */
export function noteTold(what: string, failure?: ApiError): void {
  if (failure === undefined) contacts.told(what, 'answer')
  else if (isSilent(failure)) contacts.told(what, 'failure')
  else contacts.left(what)
  update()
}

export function noteLeft(what: string): void {
  contacts.left(what)
  update()
}

/** That a question is wrong says nothing about who answers it. */
function isSilent({ status }: ApiError): boolean {
  return status === 0 || status === 401 || status >= 500
}

/** Milliseconds. A server that is gone is seen so soon, also where pages ask every half minute. It costs nothing: the cloud is not asked. */
const BEAT = 2_000
const SERVER = 'the server'

/** Asks the server whether it is there, while the page is visible and followed. */
export function followServer(): void {
  effect(() => {
    if (!isFollowing.value) return undefined
    const abort = new AbortController()
    const timer = setInterval(() => void beat(abort.signal), BEAT)
    return () => {
      clearInterval(timer)
      abort.abort()
      noteLeft(SERVER)
    }
  })
}

let isAsking = false

async function beat(signal: AbortSignal): Promise<void> {
  update()
  if (isAsking) return
  isAsking = true
  noteAsked(SERVER)
  try {
    await getAnswer('session', {}, signal)
    noteLeft(SERVER)
  } catch (error) {
    if (!signal.aborted) noteTold(SERVER, ApiError.of(error))
  } finally {
    isAsking = false
  }
}
