import { valueOf } from '../address.ts'
import { type Column, Table } from '../parts/Table.tsx'
import { Looks } from '../parts/Status.tsx'
import { address, href, setQuery } from '../route.ts'
import type { ShownInvocation } from '../stream/activity.ts'
import { activity, frames, skipped, streamState } from '../stream/stream.ts'
import { callMarks, faultWords, inRuns, withoutRoutine } from './callMark.ts'
import { thrownText } from '../../reply.ts'
import { endingOf, thrownOf } from './ending.ts'
import { InvocationDetail } from './InvocationDetail.tsx'

export function Live() {
  void frames.value
  const opened = valueOf(address.value.query['invocation'])
  const { invocations } = activity
  const open = invocations.find(({ id }) => id === opened)
  return (
    <section class="dev-part live">
      <header>
        <h2>Live</h2>
        <p class="faint" role="status">
          {WORDS[streamState.value]}
          {skipped.value > 0 && ` · ${skipped.value.toLocaleString('en')} events skipped`}
        </p>
      </header>
      {invocations.length === 0 ? (
        <p class="quiet-note">
          No invocation yet. Send a message, and it is shown here as it runs.
        </p>
      ) : (
        <Table
          label="Invocations"
          columns={COLUMNS}
          rows={invocations.toReversed()}
          open={({ id }) => setQuery({ invocation: id === opened ? undefined : id })}
        />
      )}
      {open !== undefined && (
        <InvocationDetail of={open} close={() => setQuery({ invocation: undefined })} />
      )}
    </section>
  )
}

const WORDS = {
  off: 'held: choose “live” above to follow',
  connecting: 'connecting …',
  open: 'followed',
  lost: 'connection lost, reconnecting …',
  none: 'this console has no live events',
}

const COLUMNS: readonly Column<ShownInvocation>[] = [
  { title: 'Time', from: 'middle', cell: ({ began }) => <Clock at={began} /> },
  {
    title: 'Number',
    as: 'number',
    cell: ({ id, number }) => (
      <a
        href={href('/dev', { invocation: id })}
        aria-current={valueOf(address.value.query['invocation']) === id ? 'true' : undefined}
      >
        #{number}
      </a>
    ),
  },
  { title: 'Queue', cell: ({ queue }) => queue },
  { title: 'Messages', as: 'number', from: 'wide', cell: ({ messages }) => messages.length },
  {
    title: 'Calls',
    as: 'main',
    cell: (invocation) => (
      <>
        <FirstError of={invocation} />
        <Calls of={invocation} />
      </>
    ),
  },
  {
    title: 'Outcome',
    cell: (invocation) => {
      const { word, ...look } = endingOf(invocation)
      return (
        <Looks like={look} title={invocation.end?.error ?? ''}>
          {word}
        </Looks>
      )
    },
  },
]

function FirstError({ of }: { readonly of: ShownInvocation }) {
  const [first] = thrownOf(of)
  const error = first === undefined ? of.end?.error : thrownText(first)
  if (error === undefined) return null
  return (
    <b class="tone-bad cut" title={error}>
      {error}{' '}
    </b>
  )
}

function Clock({ at }: { readonly at: number }) {
  const iso = new Date(at).toISOString()
  return (
    <time dateTime={iso} title={iso}>
      {iso.slice(11, 21)}
    </time>
  )
}

/** More do not fit in a line. */
const MOST = 14

function Calls({ of: { calls, faults } }: { readonly of: ShownInvocation }) {
  const runs = inRuns(withoutRoutine(callMarks(calls)))
  return (
    <span class="call-marks">
      {faults.map(({ fault, at }) => (
        <span key={`${fault} ${at}`} class="call-mark struck">
          {faultWords(fault)}
        </span>
      ))}
      {runs.slice(0, MOST).map(({ mark: { call, word, title, kind, state, fault }, times }) => (
        <span key={call} class={`call-mark is-${kind} ${state}`} title={title}>
          {word}
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
