import { Id } from '../parts/Id.tsx'
import type { FactsOf } from './item.ts'
import { Copied } from '../parts/AsCommand.tsx'
import { Glyph, Status } from '../parts/Status.tsx'
import { type Column, Table } from '../parts/Table.tsx'
import { Time } from '../parts/Time.tsx'

type Token = FactsOf<'request' | 'key' | 'undo'>
type Call = Token['calls'][number]

const STATES = {
  done: 'made',
  unknown: 'outcome unknown',
  notMade: 'not made',
  other: 'other',
} as const
const GLYPHS = { done: '●', unknown: '?', notMade: '○', other: '·' } as const

export function Work({ of: { effects, calls, sent } }: { readonly of: Token }) {
  if (effects.length + calls.length + sent.length === 0) return null
  return (
    <ul class="work">
      {effects.map((name) => (
        <li key={`effect ${name}`}>
          <Glyph of="◆" />
          effect {name}
        </li>
      ))}
      {calls.map(({ name, state, key, resultBytes }) => (
        <li key={`call ${name}`} class={state === 'unknown' ? 'tone-bad' : ''}>
          <Glyph of={GLYPHS[state]} />
          call {name}: {STATES[state]}
          {resultBytes !== undefined && <span class="faint"> {resultBytes} bytes kept</span>}
          {key !== undefined && (
            <span class="faint">
              {' '}
              key sent <Id of={key} to={null} copies />
            </span>
          )}
        </li>
      ))}
      {sent.map(({ name, id }) => (
        <li key={`sent ${name} ${id}`}>
          <Glyph of="➤" />
          sent {name} <Id of={id} to={{ path: '/search', query: { id } }} />
        </li>
      ))}
    </ul>
  )
}

function callsText(calls: readonly Call[]): string {
  return calls.map(({ name, state }) => `${GLYPHS[state]} ${name}`).join(' ')
}

type Stage = FactsOf<'deadRun'>['stages'][number]

/** The stages of a run in order: done, in work, and still to come. */
export function Stages({ of }: { readonly of: readonly Stage[] }) {
  if (of.length === 0) return null
  return <Table label="Stages" columns={STAGES} rows={of} keyOf={({ name }) => name} />
}

const STAGES: readonly Column<Stage>[] = [
  { title: 'Stage', cell: ({ name }) => name },
  { title: 'State', cell: ({ status }) => <Status of={status} /> },
  {
    title: 'What it did',
    cell: ({ effects, calls }) =>
      [...effects.map((each) => `◆ ${each}`), callsText(calls)].join(' ').trim(),
  },
  { title: 'Then', as: 'main', cell: (stage) => <Then of={stage} /> },
]

function Then({
  of: { status, attempt, leaseUntil, due, resent, reason, sentTo, ends },
}: {
  readonly of: Stage
}) {
  switch (status) {
    case 'done':
      return ends ? <>ends the run</> : `sent to ${sentTo.join(', ')}`
    case 'coming':
      return <>its message is on the way</>
    case 'running':
    case 'lost':
      return (
        <>
          attempt {attempt}, lease {status === 'lost' ? 'ended' : 'ends'} <Time at={leaseUntil} />
        </>
      )
    case 'waiting':
      return (
        <>
          attempt {(attempt ?? 0) + 1} <Time at={due} />
          {resent === true && ', its message is on the queue'}
        </>
      )
    case 'dying':
    case 'dead':
      return reason ?? ''
  }
}

interface FatesProps {
  readonly title: string
  readonly of: readonly { readonly text: string }[]
}

export function Fates({ title, of }: FatesProps) {
  if (of.length === 0) return null
  return (
    <p>
      <span class="faint">{title}: </span>
      {of.map(({ text }) => text)}
    </p>
  )
}

export function LogQuery({
  of: { logGroup, request, invocation },
}: {
  readonly of: FactsOf<'flow'>['logs']
}) {
  return (
    <details class="log-query">
      <summary class="faint">Its log in CloudWatch</summary>
      {logGroup !== undefined && (
        <p>
          Log group <code>{logGroup}</code>
        </p>
      )}
      {[request, invocation].map(
        (query) =>
          query !== undefined && (
            <p key={query}>
              <Copied of={query} what="Query" />
            </p>
          ),
      )}
    </details>
  )
}
