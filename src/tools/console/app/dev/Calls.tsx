import type { CallEvent } from '../../../../testing/local/observe/event.ts'
import { Text } from '../parts/Text.tsx'
import { callMarks, inRuns, withoutRoutine } from './callMark.ts'
import { plainText } from '../parts/safeText.ts'

/** More do not fit in a line. */
const MOST = 14

interface CallsProps {
  readonly of: readonly CallEvent[]
  /** Faults of the whole invocation, in words. */
  readonly struck?: readonly string[]
  /** In one line. */
  readonly short?: boolean
}

/** What an invocation has called, each call with a word. */
export function Calls({ of, struck = [], short = false }: CallsProps) {
  const marks = callMarks(of)
  const runs = inRuns(short ? withoutRoutine(marks) : marks)
  return (
    <span class="call-marks">
      {struck.map((fault) => (
        <span key={fault} class="call-mark struck">
          {fault}
        </span>
      ))}
      {runs.slice(0, MOST).map(({ mark: { call, word, title, kind, state, fault }, times }) => (
        <span key={call} class={`call-mark is-${kind} ${state}`} title={plainText(title)}>
          <Text of={word} />
          {times > 1 && ` × ${times}`}
          {state !== 'ended' && <b aria-hidden="true"> {GLYPHS[state]}</b>}
          {fault !== undefined && <b> {fault}</b>}
          {fault === undefined && state !== 'ended' && <span class="unseen"> {state}</span>}
        </span>
      ))}
      {runs.length > MOST && <span class="faint">{runs.length - MOST} more</span>}
    </span>
  )
}

const GLYPHS = { retried: '↻', failed: '✖', never: '†' }
