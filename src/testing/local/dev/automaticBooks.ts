import type { CallEvent, InvocationBegun, LocalEvent } from '../observe/event.ts'

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
  return {
    called: (event: CallEvent): void => {
      const { effect, requests = [], outcome, words } = event
      const [request] = requests
      if (effect === undefined || request === undefined || outcome !== 'ended') return
      if (!words.startsWith(`effect ${effect}`)) return
      const calls = entry(entry(made, request, newMap<Set<string>>), effect, newSet)
      // The SDK's retries of one call are one effect.
      calls.add(`${event.awsRequestId} ${event.call}`)
    },
    read: (): AutomaticBook => {
      const offending = [...made].flatMap(([request, byEffect]) =>
        [...byEffect]
          .filter(([, calls]) => calls.size > 1)
          .map(([effect, calls]) => ({ request, text: `${effect} was made ${calls.size} times` })),
      )
      return verdict('each effect at most once per request', offending)
    },
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
  const counted = new Set<string>()
  return {
    began: ({ awsRequestId, messages }: InvocationBegun): void => {
      begun.set(awsRequestId, messages)
    },
    called: (event: CallEvent): void => {
      const messages = begun.get(event.awsRequestId)
      const call = `${event.awsRequestId} ${event.call}`
      if (messages === undefined || !isUnprotected(event) || !tookEffect(event)) return
      if (counted.has(call)) return
      counted.add(call)
      const invocations = entry(wrote, event.words, newMap<Wrote>)
      entry(invocations, event.awsRequestId, () => ({ messages, calls: 0 })).calls += 1
    },
    read: (): AutomaticBook =>
      verdict(
        'nothing is written or sent again by another invocation',
        [...wrote].flatMap(([words, invocations]) => doubledIn(words, [...invocations.values()])),
      ),
  }
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
  const sent = new Map<string, SentMessage>()
  const takes = new Map<string, number>()
  let redelivered = 0
  return {
    sent: (messages: readonly SentMessage[]): void => {
      for (const message of messages) sent.set(message.messageId, message)
    },
    took: ({ messages }: InvocationBegun): void => {
      for (const { messageId } of messages) {
        const before = takes.get(messageId) ?? 0
        if (before > 0) redelivered += 1
        takes.set(messageId, before + 1)
      }
    },
    read: (atRest: boolean): AutomaticBook => {
      const lost = [...sent.values()].filter(({ messageId }) => !takes.has(messageId))
      const all = [...takes.values()].reduce((sum, count) => sum + count, 0)
      const note = `${all} taken = ${takes.size} messages + ${redelivered} again`
      const name = 'every message that was sent is taken'
      if (!atRest) return { name, state: 'waiting', offending: [], note }
      const offending = lost.map(({ request }) => ({ request, text: 'was never taken' }))
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
