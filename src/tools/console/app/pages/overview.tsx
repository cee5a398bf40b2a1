import type { SourceQueue } from '../../../operator/status/sourceStatus.ts'
import { Glyph } from '../parts/Status.tsx'
import type { OverviewAnswer } from '../answers.ts'
import { Answer } from '../parts/standIns.tsx'
import { type Column, Table } from '../parts/Table.tsx'
import { Time } from '../parts/Time.tsx'
import { counted } from '../parts/words.ts'
import { session } from '../api.ts'
import { useAnswer } from '../useAnswer.ts'
import { Findings, TemplateLine } from '../overview/Findings.tsx'
import { beginningOf, headline, sortFindings, toneOfAll } from '../overview/findings.ts'
import { Map, useGraph } from '../map/Map.tsx'

export function Overview() {
  const isLocal = session.value?.local === true
  const whole = useAnswer<OverviewAnswer>('overview', {}, isLocal ? undefined : 0)
  const table = useAnswer<OverviewAnswer>('overview', isLocal ? undefined : { noQueues: '1' })
  const { graph } = useGraph()
  return (
    <Answer of={whole} lines={9}>
      {(answer) => (
        <>
          <AllFindings of={answer} newer={table.answer?.findings} />
          <NotLooked of={answer} />
          <Queues of={answer.queues} />
          {graph !== undefined && (
            <section>
              <h2 class="part-title">Map</h2>
              <Map graph={graph} />
            </section>
          )}
        </>
      )}
    </Answer>
  )
}

interface AllFindingsProps {
  readonly of: OverviewAnswer
  /** Findings of the table alone, from a later look at it. */
  readonly newer: OverviewAnswer['findings'] | undefined
}

function AllFindings({ of, newer }: AllFindingsProps) {
  const sorted = sortFindings(of.findings, newer)
  const tone = toneOfAll(sorted, of)
  return (
    <>
      <p class={`headline tone-${tone}`}>
        <Glyph of={GLYPHS[tone]} />
        {headline(sorted, of)}
        <TemplateLine />
      </p>
      <Beginning of={sorted} />
      <Findings title="Waits for an operator" of={sorted.bad} />
      <Findings title="Overdue or stalled" of={sorted.warn} />
      <Findings title="Worth a look" of={sorted.note} />
    </>
  )
}

/** An operator who reads that something is wrong asks next since when, and what to do. */
function Beginning({ of }: { readonly of: ReturnType<typeof sortFindings> }) {
  const beginning = beginningOf(of)
  if (beginning === undefined) return null
  const { first, unknown } = beginning
  return (
    <p class="beginning">
      {first === undefined ? (
        'Since when is not known.'
      ) : (
        <>
          Since <Time at={first.since} /> ({first.kind}: {first.of}).{' '}
          {unknown > 0 && `Of ${counted(unknown, 'line')} it is not known.`}
        </>
      )}{' '}
      Begin at the top: each line has its next step.
    </p>
  )
}

const GLYPHS = { bad: '✖', warn: '!', good: '✔' } as const

/** Otherwise silence would be taken for health. */
function NotLooked({
  of: { unread, searched, at },
}: {
  readonly of: OverviewAnswer & { readonly at: string }
}) {
  const isLocal = session.value?.local === true
  return (
    <ul class="not-looked">
      {unread.map((each) => (
        <li key={each} class="tone-warn">
          not read: {each}
        </li>
      ))}
      {!isLocal && (
        <li>
          Dead-letter queues were read <Time at={at} />. Each read receives messages, so only
          Refresh reads them again.
        </li>
      )}
      <li>
        {searched === undefined ? (
          'Lost first attempts: when they were searched for was not read.'
        ) : searched === null ? (
          'Lost first attempts: not searched yet. The sweeper searches for them.'
        ) : (
          <>
            Lost first attempts: searched <Time at={searched.ended} />, {searched.looked} items.
          </>
        )}
      </li>
    </ul>
  )
}

function Queues({ of }: { readonly of: readonly SourceQueue[] }) {
  if (of.length === 0) return null
  return (
    <section>
      <h2 class="part-title">Queues with messages</h2>
      <Table
        label="Queues with messages"
        columns={QUEUE}
        rows={of.toSorted((one, other) => other.visible - one.visible)}
      />
    </section>
  )
}

const QUEUE: readonly Column<SourceQueue>[] = [
  { title: 'Queue', cell: ({ name }) => name },
  { title: 'waiting', as: 'number', cell: ({ visible }) => visible.toLocaleString('en') },
  { title: 'in flight', as: 'number', cell: ({ inFlight }) => inFlight.toLocaleString('en') },
  { title: 'delayed', as: 'number', cell: ({ delayed }) => delayed.toLocaleString('en') },
  { title: 'read by', as: 'main', cell: ({ readBy }) => <span title={readBy}>{readBy}</span> },
]
