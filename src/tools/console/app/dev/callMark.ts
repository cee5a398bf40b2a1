import type { KillNext } from '../../dev/types.ts'
import type { CallEvent } from '../../../../testing/local/observe/event.ts'

/** One call of an invocation: all its attempts together. */
export interface CallMark extends Pick<CallEvent, 'call' | 'action' | 'words'> {
  readonly effect: string | undefined
  /** A word or two: the name of an effect, where a message goes, or the verb. */
  readonly word: string
  /** What it does, with what struck it. */
  readonly title: string
  readonly kind: 'effect' | 'send' | 'other'
  /** `retried`: an attempt failed, and a later one did not. */
  readonly state: 'ended' | 'retried' | 'failed' | 'never'
  /** The fault that struck the newest attempt with one, in words. */
  readonly fault: string | undefined
  /** What struck it, or its error; and how often it was tried, if that was more than once. */
  readonly why: readonly string[]
  /** From the beginning of the first attempt to the end of the last, milliseconds. */
  readonly took: number
}

export function callMarks(calls: readonly CallEvent[]): readonly CallMark[] {
  return [...Map.groupBy(calls, ({ call }) => call).values()]
    .map(markOf)
    .toSorted((one, other) => one.call - other.call)
}

interface MarkRun {
  readonly mark: CallMark
  readonly times: number
}

/** Marks that look the same and follow one another are one: a batch does each thing for each of its messages. */
export function inRuns(marks: readonly CallMark[]): readonly MarkRun[] {
  const runs: MarkRun[] = []
  for (const mark of marks) {
    const last = runs.at(-1)
    if (last !== undefined && appearance(last.mark) === appearance(mark)) {
      runs[runs.length - 1] = { ...last, times: last.times + 1 }
    } else runs.push({ mark, times: 1 })
  }
  return runs
}

/** What every invocation does for every message: a short line has no room for it. */
const ROUTINE: ReadonlySet<string> = new Set(['claims', 'looks', 'completes'])

/** Without the routine, unless something struck it or there is nothing else. */
export function withoutRoutine(marks: readonly CallMark[]): readonly CallMark[] {
  const rest = marks.filter(
    ({ word, kind, state }) => kind !== 'other' || state !== 'ended' || !ROUTINE.has(word),
  )
  return rest.length > 0 ? rest : marks
}

function appearance({ word, kind, state, fault = '' }: CallMark): string {
  return [word, kind, state, fault].join(' ')
}

function markOf(attempts: readonly CallEvent[]): CallMark {
  const last = attempts.at(-1) as CallEvent
  const began = Math.min(...attempts.map((each) => each.began))
  const struck = attempts.findLast(({ fault }) => fault !== undefined)?.fault
  const fault = struck === undefined ? undefined : faultWords(struck)
  const wasRetried = last.outcome === 'ended' && attempts.length > 1
  const { error } = attempts.findLast((each) => each.error !== undefined) ?? {}
  const tries = attempts.length > 1 ? [`${attempts.length} attempts`] : []
  const why = [fault ?? error ?? [], tries].flat()
  return {
    call: last.call,
    action: last.action,
    words: last.words,
    effect: last.effect,
    fault,
    why,
    word: wordOf(last),
    title: [`${last.call}. ${last.words}`, ...why].join(' · '),
    kind: last.effect !== undefined ? 'effect' : last.to !== undefined ? 'send' : 'other',
    state: wasRetried ? 'retried' : last.outcome,
    took: last.at - began,
  }
}

function wordOf({ effect, to, words }: CallEvent): string {
  if (effect !== undefined) return effect
  return to === undefined ? (words.split(' ')[0] ?? '') : `→ ${to}`
}

const WORDS: Readonly<Record<string, string>> = {
  killBefore: 'killed before it',
  killAfter: 'killed after it',
  killBeforeDelete: 'killed before its messages were deleted',
  loseAnswer: 'answer lost',
  throttle: 'throttled',
  tableThrottle: 'table throttled',
  hangBefore: 'no answer, without effect',
  hangAfter: 'no answer, with effect',
  conflict: 'conflict',
  staleRead: 'stale read',
  duplicate: 'delivered twice',
  duplicateLater: 'delivered again later',
  freeze: 'sandbox frozen',
  sandboxDeath: 'sandbox died',
}

export function faultWords(fault: string): string {
  return WORDS[fault] ?? fault
}

/**
 * The same call of another invocation: by its effect, which is surer than the kind of the call, and by its place among those of
 * the same effect and kind.
 * @param all the calls of its invocation, in their order
 */
export function aimAt<Call extends Pick<CallMark, 'action' | 'effect'>>(
  call: Call,
  all: readonly Call[],
): KillNext {
  const { action, effect } = call
  const alike = all.filter((each) => each.action === action && each.effect === effect)
  const nth = alike.indexOf(call) + 1
  return { action, ...(effect !== undefined && { effect }), ...(nth > 1 && { nth }) }
}

/** @example 'after its next call UpdateItem of effect reserve' */
export function aimWords({ action, effect, nth = 1, when = 'after' }: KillNext): string {
  return [
    nth === 1 ? `${when} its next call` : `${when} call number ${nth} that is`,
    ...(action === undefined ? [] : [action]),
    ...(effect === undefined ? [] : [`of ${effect}`]),
  ].join(' ')
}
