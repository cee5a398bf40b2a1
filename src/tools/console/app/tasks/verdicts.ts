import type { Asked, Intent } from '../parts/plans.ts'

/** What an unknown outcome is about. */
export interface Doubt {
  readonly id: string
  /** `key`: of `idempotent` or a lock: its whole section is one call. */
  readonly kind: 'request' | 'key'
  readonly calls: readonly string[]
  /** What a release has to name as not done: these calls, or the section of a key. */
  readonly notDone: readonly string[]
}

interface Verdict {
  readonly title: string
  readonly says: string
  /** What makes it so; undefined: nothing is changed. */
  readonly intent: Intent | undefined
}

/** The answers to an unknown outcome, the one that changes nothing last. */
export function verdictsOn(doubt: Doubt): readonly Verdict[] {
  const { id, kind, calls, notDone } = doubt
  const title = `Answer for ${id}`
  const all: Verdict = {
    title: kind === 'key' ? 'It was made' : 'It was made, and so was the rest of the request',
    says:
      kind === 'key'
        ? 'The key ends as done. Later callers get the result that you give; without one they get none.'
        : 'The request ends as done, and never runs again. Copies of its message are dropped.',
    intent: {
      action: 'decide',
      given: { id, decision: 'done' },
      title,
      ...(kind === 'key' && { ask: RESULT }),
    },
  }
  const made: Verdict = {
    title: 'It was made, with this result',
    says: 'Once its dead letter is redriven, the request continues after the call, with the result that you give. The call is not repeated.',
    intent: {
      action: 'decide',
      given: { id, decision: 'again' },
      title,
      ask: calls.map(askedFor),
    },
  }
  const notMade: Verdict = {
    title: 'It was not made',
    says:
      kind === 'key'
        ? 'The key is freed: the next call runs its whole section again.'
        : 'Once its dead letter is redriven, the request makes the call again. What it did before the call is not repeated.',
    intent: {
      action: 'decide',
      given: { id, decision: 'free', ...(notDone.length > 0 && { notDone }) },
      title,
    },
  }
  return [...(calls.length > 0 ? [made] : []), all, notMade, NOT_KNOWN]
}

const RESULT: readonly Asked[] = [
  {
    name: 'result',
    label: 'Result of the call, as JSON (optional)',
    kind: 'json',
    hint: '{"id":"ch_1"}',
    optional: true,
  },
]

function askedFor(call: string): Asked {
  return {
    name: 'made',
    key: call,
    label: `Result of ${call}, as JSON`,
    kind: 'json',
    hint: '{"id":"ch_1"} or null',
  }
}

const NOT_KNOWN: Verdict = {
  title: 'Not known yet',
  says: 'Leave it as it is: nothing runs, and nothing is repeated. It stays here until you decide; its dead letter stays until the retention of its queue ends.',
  intent: undefined,
}
