import type { CallEvent, InvocationBegun, LocalEvent } from '../observe/event.ts'
import { forgetOldest } from './outsideSystems.ts'

/** Requests, invocations, messages and writes that are kept in mind, of each the newest. What was found wrong stays. */
const MOST = 10_000

/** What a book has found. */
interface AutomaticBook {
  readonly name: string
  /** `waiting`: it says something only at rest. */
  readonly state: 'green' | 'red' | 'waiting'
  readonly offending: readonly Offence[]
  readonly note?: string
}

interface Offence {
  /** The id of a request, if it is known. */
  readonly request?: string
  /** @example 'charge was made 2 times' */
  readonly text: string
}

/** Books that need nothing of FILE: they follow from what handlers were seen to do. */
export interface AutomaticBooks {
  observe(event: LocalEvent): void
  /** Messages that were sent to a queue with a consumer. */
  sent(messages: readonly SentMessage[]): void
  /** @param atRest no message is on its way to a consumer, and no invocation runs */
  read(atRest: boolean): readonly AutomaticBook[]
}

interface SentMessage {
  readonly messageId: string
  readonly request: string
}

export function automaticBooks(): AutomaticBooks {
  const effects = onceEachEffect()
  const writes = noWriteAgain()
  const ledger = takenAsSent()
  return {
    observe: (event) => {
      if (event.type === 'begun') {
        writes.began(event)
        ledger.took(event)
      }
      if (event.type !== 'call') return
      effects.called(event)
      writes.called(event)
    },
    sent: ledger.sent,
    read: (atRest) => [effects.read(), writes.read(), ledger.read(atRest)],
  }
}

/** An effect of `applyOnce` is one transaction with its mark: a second one that succeeds is a double. */
function onceEachEffect() {
  const made = new Map<string, Map<string, Set<string>>>()
  const doubles = new Map<string, Offence>()
  return {
    called: (event: CallEvent): void => {
      const { effect, requests = [], outcome, words } = event
      const [request] = requests
      if (effect === undefined || request === undefined || outcome !== 'ended') return
      if (!words.startsWith(`effect ${effect}`)) return
      const calls = entry(entry(made, request, newMap<Set<string>>), effect, newSet)
      // The SDK's retries of one call are one effect.
      calls.add(`${event.awsRequestId} ${event.call}`)
      if (calls.size > 1) {
        const text = `${effect} was made ${calls.size} times`
        doubles.set(`${request} ${effect}`, { request, text })
      }
      forgetOldest(made, MOST)
      forgetOldest(doubles, MOST)
    },
    read: (): AutomaticBook =>
      verdict('each effect at most once per request', [...doubles.values()]),
  }
}

interface Wrote {
  readonly messages: InvocationBegun['messages']
  calls: number
}

/**
 * A write or a send past Lineclear, which nothing protects: what a second invocation of a message does again, it doubles. Which of
 * several messages of a batch a call is for is not known, so all invocations that write the same are compared with all messages
 * that they had.
 */
function noWriteAgain() {
  const begun = new Map<string, InvocationBegun['messages']>()
  const wrote = new Map<string, Map<string, Wrote>>()
  /** By call: what it wrote. */
  const counted = new Map<string, { readonly words: string; readonly awsRequestId: string }>()
  /** Found before the writes were forgotten. */
  const found = new Map<string, Offence>()

  function doubled(): readonly Offence[] {
    return [...wrote].flatMap(([words, invocations]) => doubledIn(words, [...invocations.values()]))
  }

  /** Seldom, since it reads all. */
  function forget(): void {
    for (const each of doubled()) found.set(keyOf(each), each)
    forgetOldest(found, MOST)
    forgetOldest(counted, MOST, (_, { words, awsRequestId }) => {
      const invocations = wrote.get(words)
      invocations?.delete(awsRequestId)
      if (invocations?.size === 0) wrote.delete(words)
    })
  }

  return {
    began: ({ awsRequestId, messages }: InvocationBegun): void => {
      begun.set(awsRequestId, messages)
      forgetOldest(begun, MOST)
    },
    called: (event: CallEvent): void => {
      const messages = begun.get(event.awsRequestId)
      const call = `${event.awsRequestId} ${event.call}`
      if (messages === undefined || !isUnprotected(event) || !tookEffect(event)) return
      if (counted.has(call)) return
      const { words, awsRequestId } = event
      counted.set(call, { words, awsRequestId })
      const invocations = entry(wrote, words, newMap<Wrote>)
      entry(invocations, awsRequestId, () => ({ messages, calls: 0 })).calls += 1
      if (counted.size >= 2 * MOST) forget()
    },
    read: (): AutomaticBook => {
      const now = doubled()
      const known = new Set(now.map(keyOf))
      const before = [...found.values()].filter((each) => !known.has(keyOf(each)))
      return verdict('nothing is written or sent again by another invocation', [...before, ...now])
    },
  }
}

function keyOf({ request, text }: Offence): string {
  return `${request} ${text}`
}

function isUnprotected({ requests = [], sends = [], words }: CallEvent): boolean {
  if (requests.length > 0 || sends.length > 0) return false
  return /^(updates|sends|publishes)\b/.test(words)
}

/** Also where the handler did not see the answer. */
function tookEffect({ outcome, fault }: CallEvent): boolean {
  return outcome === 'ended' || ['killAfter', 'loseAnswer', 'hangAfter'].includes(fault ?? '')
}

function doubledIn(words: string, invocations: readonly Wrote[]): readonly Offence[] {
  const times = new Map<string, { readonly request: string | undefined; count: number }>()
  for (const { messages } of invocations) {
    for (const { messageId, uniqueRequestId } of messages) {
      entry(times, messageId, () => ({
        request: uniqueRequestId ?? messageId,
        count: 0,
      })).count += 1
    }
  }
  // A handler may do the same twice for one message, on purpose.
  const perMessage = Math.max(...invocations.map(({ calls, messages }) => calls / messages.length))
  const calls = invocations.reduce((sum, each) => sum + each.calls, 0)
  if (calls <= Math.ceil(perMessage) * times.size) return []
  return [...times.values()]
    .filter(({ count }) => count > 1)
    .map(({ request, count }) => ({
      ...(request !== undefined && { request }),
      text: `${words}: in ${count} invocations`,
    }))
}

/** Every message that was sent is taken; more takes than that are redeliveries. */
function takenAsSent() {
  const waiting = new Map<string, SentMessage>()
  const taken = new Set<string>()
  let messages = 0
  let redelivered = 0
  return {
    sent: (sent: readonly SentMessage[]): void => {
      // One may be taken before its sender has the answer.
      for (const each of sent) if (!taken.has(each.messageId)) waiting.set(each.messageId, each)
    },
    took: (event: InvocationBegun): void => {
      for (const { messageId } of event.messages) {
        if (taken.has(messageId)) redelivered += 1
        else messages += 1
        taken.add(messageId)
        waiting.delete(messageId)
      }
      forgetOldest(taken, MOST)
    },
    read: (atRest: boolean): AutomaticBook => {
      const note = `${messages + redelivered} taken = ${messages} messages + ${redelivered} again`
      const name = 'every message that was sent is taken'
      if (!atRest) return { name, state: 'waiting', offending: [], note }
      const offending = [...waiting.values()].map(({ request }) => ({
        request,
        text: 'was never taken',
      }))
      return { ...verdict(name, offending), note }
    },
  }
}

function verdict(name: string, offending: readonly Offence[]): AutomaticBook {
  return { name, state: offending.length === 0 ? 'green' : 'red', offending }
}

function entry<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

function newMap<Value>(): Map<string, Value> {
  return new Map()
}

function newSet(): Set<string> {
  return new Set()
}
