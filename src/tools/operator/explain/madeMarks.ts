import { attemptedIn } from './attempts.ts'
import type { CallFacts } from './factParts.ts'
import type { Facts, FlowFacts } from './facts.ts'
import { readMark } from './stageState.ts'
import type { LaneMark } from './waterfall.ts'

/** Effects, calls and messages that the table knows. It does not say when they were made. */
export function madeMarks(facts: readonly Facts[]): readonly LaneMark[] {
  const marks = facts.flatMap(attemptedIn).flatMap(({ lane, request, of }) => {
    const sent = 'sent' in of ? of.sent : of.sentTo.map((name) => ({ name }))
    return marksOf(lane, request, { ...of, sent })
  })
  const nameOf = ({ lane, request, kind, label }: LaneMark): string =>
    JSON.stringify([lane, request, kind, label])
  const known = new Set(marks.map(nameOf))
  // A run that died is kept for a redrive, and knows more than the key that it has left.
  const last = facts.flatMap((each) => (each.kind === 'flow' ? marksOfLastRun(each) : []))
  return [...marks, ...last.filter((mark) => !known.has(nameOf(mark)))]
}

interface Made {
  readonly effects: readonly string[]
  readonly calls: readonly CallFacts[]
  readonly sent?: readonly { readonly name: string; readonly id?: string }[]
}

function marksOf(
  lane: string,
  request: string | undefined,
  { effects, calls, sent = [] }: Made,
): readonly LaneMark[] {
  const common = { lane, request, at: undefined, state: undefined, messageId: undefined }
  return [
    ...effects.map((label): LaneMark => ({ ...common, kind: 'effect', label })),
    ...calls.map(({ name, state }): LaneMark => ({ ...common, kind: 'call', state, label: name })),
    ...sent.map(({ name, id }): LaneMark => ({
      ...common,
      kind: 'send',
      messageId: id,
      label: name,
    })),
  ]
}

/** An idle key keeps the names of the last run's effects and calls. */
function marksOfLastRun({ of, lastMarks, newest, last }: FlowFacts): readonly LaneMark[] {
  const state = last?.as === 'completed' ? 'done' : 'other'
  return lastMarks.map(readMark).flatMap(({ stage, sign, name }) => {
    const call = { name, state, result: 'none', resultBytes: undefined, key: undefined } as const
    const made = { effects: sign === '' ? [name] : [], calls: sign === '?' ? [call] : [] }
    return marksOf(`${of}.${stage}`, newest?.request, made)
  })
}
