import { useEffect, useRef } from 'preact/hooks'
import type { LogLine } from '../../../../testing/local/observe/event.ts'
import { Id } from '../parts/Id.tsx'
import type { ShownInvocation } from '../stream/activity.ts'
import { aimAt, type CallMark, callMarks, faultWords } from './callMark.ts'
import { setFault, useTry } from './devState.ts'
import { thrownText } from '../../reply.ts'
import { endingOf, thrownOf } from './ending.ts'
import { ApiFailure } from '../parts/standIns.tsx'

interface DetailProps {
  readonly of: ShownInvocation
  close(): void
}

export function InvocationDetail({ of: invocation, close }: DetailProps) {
  const { id, number, queue, messages, calls, faults, logs, end, began } = invocation
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [id])
  const { word } = endingOf(invocation)
  const marks = callMarks(calls)
  const took = end === undefined ? '' : ` after ${Math.max(0, Math.round(end.at - began))} ms`
  return (
    <section class="invocation" onKeyDown={({ key }) => key === 'Escape' && close()}>
      <header>
        <h3 ref={heading} tabIndex={-1}>
          {`Invocation #${number} of ${queue}: ${word}${took}`}
        </h3>
        <button type="button" class="quiet" onClick={close}>
          close
        </button>
      </header>
      {thrownOf(invocation).map((thrown, at) => (
        <p key={at} class={thrown.isDead ? 'tone-bad' : 'tone-warn'}>
          <b>{thrownText(thrown)}</b>{' '}
          {thrown.request !== undefined && messages.length > 1 && <Id of={thrown.request} />}
        </p>
      ))}
      {end?.error !== undefined && <p class="tone-bad">{end.error}</p>}
      <p class="row">
        {messages.map(({ messageId, uniqueRequestId, receiveCount }) => (
          <span key={messageId}>
            <Id of={uniqueRequestId ?? messageId} />
            {receiveCount > 1 && <span class="faint"> delivery {receiveCount}</span>}
          </span>
        ))}
      </p>
      {faults.map(({ fault, at }) => (
        <p key={`${fault} ${at}`} class="tone-warn">
          † {faultWords(fault)}
        </p>
      ))}
      <ol class="call-list">
        {marks.map((mark) => (
          <CallLine key={mark.call} queue={queue} of={mark} all={marks} />
        ))}
      </ol>
      {logs.length > 0 && <Log of={logs} />}
    </section>
  )
}

interface CallLineProps {
  readonly queue: string
  readonly of: CallMark
  readonly all: readonly CallMark[]
}

function CallLine({ queue, of, all }: CallLineProps) {
  const { call, action, state, words, why, took } = of
  const { busy, failure, run } = useTry()
  return (
    <li class={`is-${state}`}>
      <span class="number faint">{call}</span>
      <span class="what">
        {words} <span class="faint code">{action}</span>
        {why.length > 0 && (
          <b class={state === 'ended' ? 'faint' : 'tone-warn'}> {why.join(' · ')}</b>
        )}
      </span>
      <span class="faint number">{Math.max(0, Math.round(took))} ms</span>
      <span>
        {(['before', 'after'] as const).map((when) => (
          <button
            key={when}
            type="button"
            class="quiet"
            disabled={busy}
            title={`Kills the next invocation that comes to this call, ${when} the call takes effect`}
            onClick={() =>
              run(async () => setFault({ consumer: queue, killNext: { ...aimAt(of, all), when } }))
            }
          >
            kill {when}
            <span class="unseen"> call {call}</span>
          </button>
        ))}
      </span>
      {failure !== undefined && <ApiFailure of={failure} />}
    </li>
  )
}

function Log({ of }: { readonly of: readonly LogLine[] }) {
  return (
    <details>
      <summary>{of.length === 1 ? '1 line logged' : `${of.length} lines logged`}</summary>
      <ul class="invocation-log">
        {of.map(({ level, message, at }, index) => (
          <li key={`${at} ${index}`}>
            <span class={level === 'ERROR' ? 'tone-bad' : 'faint'}>{level}</span> {message}
          </li>
        ))}
      </ul>
    </details>
  )
}
