/** What can be decided about. `request`: or a key. `flow`: the key of a flow, with its runs and steps. */
export type Subject = 'request' | 'flow' | 'delayed'

export type Decision = 'done' | 'free' | 'again' | 'drop' | 'answer' | 'timeout'

interface DecisionRow {
  /** One line. */
  readonly does: string
  /** The options that it takes, by what it is about. */
  readonly of: Readonly<Partial<Record<Subject, readonly string[]>>>
}

export const DECISIONS: Readonly<Record<Decision, DecisionRow>> = {
  done: {
    does: 'it was done: end a request or key; it never runs again',
    of: { request: ['result', 'error'] },
  },
  free: {
    does: 'it was not done: the next message or call runs the request or key; of a flow: end the run that holds the key',
    of: { request: ['notDone'], flow: [] },
  },
  again: {
    does: 'let a dead-lettered or parked request run again, which repeats nothing that it has done; let a step wait again whose answer was taken',
    of: { request: ['notDone', 'made'], flow: ['step', 'externalId', 'keep', 'for', 'request'] },
  },
  drop: {
    does: 'a dead request will not be redriven: its end is final, and its onFailure or failure handler may take back what it made; take back a delayed message',
    of: { request: [], flow: ['request'], delayed: [] },
  },
  answer: {
    does: 'answer a step of a flow for the outside system; its function validates the answer',
    of: { flow: ['step', 'answer', 'externalId', 'schema', 'wait', 'request'] },
  },
  timeout: {
    does: 'end the wait of a step of a flow now: it continues with onTimeout',
    of: { flow: ['step', 'request'] },
  },
}

export const WORDS: readonly Decision[] = Object.keys(DECISIONS) as Decision[]

/** @returns undefined: there is nothing to decide about it */
export function decisionSubject(pk: string): Subject | undefined {
  const [kind] = pk.split('#')
  return kind === undefined ? undefined : SUBJECTS.get(kind)
}

const SUBJECTS: ReadonlyMap<string, Subject> = new Map([
  ['lock', 'request'],
  ['key', 'request'],
  ['flow', 'flow'],
  ['later', 'delayed'],
])

export function decisionsOf(subject: Subject | undefined): readonly Decision[] {
  return subject === undefined
    ? []
    : WORDS.filter((word) => DECISIONS[word].of[subject] !== undefined)
}

export function decisionOptions(word: Decision, subject?: Subject): readonly string[] {
  const { of } = DECISIONS[word]
  return subject === undefined ? Object.values(of).flat() : (of[subject] ?? [])
}
