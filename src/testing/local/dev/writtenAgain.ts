import type { CallEvent, InvocationBegun, LocalEvent } from '../observe/event.ts'

/** Invocations and writes that are kept in mind, of each the newest. What was found wrong stays. */
const MOST = 10_000

/** A book that needs nothing of FILE: it follows from what handlers were seen to do. */
export interface WrittenAgain {
  readonly name: string
  observe(event: LocalEvent): void
  read(): readonly Offence[]
}

interface Offence {
  /** The id of a request. */
  readonly request: string
  /** @example 'sends to paid: in 2 invocations' */
  readonly text: string
}

type Messages = InvocationBegun['messages']

interface Wrote {
  readonly messages: Messages
  readonly calls: Set<number>
}

/**
 * A write or a send past Lineclear, which nothing protects: what a second invocation of a message does again, it doubles. Which of
 * several messages of a batch a call is for is not known, so all invocations that write the same are compared with all messages
 * that they had.
 */
export function writtenAgain(): WrittenAgain {
  const begun = new Map<string, Messages>()
  /** By the words of a write and the invocation that made it. */
  const wrote = new Map<string, Map<string, Wrote>>()
  const changed = new Set<string>()
  const found = new Map<string, readonly Offence[]>()

  function judge(words: string, invocations: ReadonlyMap<string, Wrote>): void {
    if (!changed.delete(words)) return
    found.set(words, doubledIn(words, [...invocations.values()]))
  }

  function called(event: CallEvent): void {
    const { awsRequestId, call, words } = event
    const messages = begun.get(awsRequestId)
    if (messages === undefined || !isUnprotected(event) || !tookEffect(event)) return
    const invocations = wrote.get(words) ?? new Map<string, Wrote>()
    wrote.set(words, invocations)
    const own = invocations.get(awsRequestId) ?? { messages, calls: new Set() }
    invocations.set(awsRequestId, own)
    // All attempts of a call have one number.
    own.calls.add(call)
    changed.add(words)
    forgetOldest(wrote, MOST, judge)
  }

  return {
    name: 'nothing is written or sent again by another invocation',
    observe: (event) => {
      if (event.type === 'begun') begun.set(event.awsRequestId, event.messages)
      if (event.type === 'begun') forgetOldest(begun, MOST)
      if (event.type === 'call') called(event)
    },
    read: () => {
      for (const words of changed) judge(words, wrote.get(words) ?? new Map())
      return [...found.values()].flat()
    },
  }
}

/**
 * Takes out what was put in first, until `most` are left.
 * @param forgotten is called for each that was taken out
 */
export function forgetOldest<Key, Value>(
  from: Map<Key, Value>,
  most: number,
  forgotten: (key: Key, value: Value) => void = () => {},
): void {
  for (const [key, value] of from) {
    if (from.size <= most) return
    from.delete(key)
    forgotten(key, value)
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
  const times = Map.groupBy(
    invocations.flatMap(({ messages }) => messages),
    ({ messageId }) => messageId,
  )
  // A handler may do the same twice for one message, on purpose.
  const perMessage = Math.max(
    ...invocations.map(({ calls, messages }) => calls.size / messages.length),
  )
  const calls = invocations.reduce((sum, each) => sum + each.calls.size, 0)
  if (calls <= Math.ceil(perMessage) * times.size) return []
  return [...times].flatMap(([messageId, taken]) =>
    taken.length === 1
      ? []
      : {
          request: taken[0]?.uniqueRequestId ?? messageId,
          text: `${words}: in ${taken.length} invocations`,
        },
  )
}
