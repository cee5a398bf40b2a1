import { Status } from '../parts/Status.tsx'
import { Text } from '../parts/Text.tsx'
import { Time } from '../parts/Time.tsx'
import { type FactsOf, type Item, kindOf, statusOf } from './item.ts'
import { Facts } from '../parts/Facts.tsx'
import { ErrorView } from './Problem.tsx'
import { Fates, LogQuery, Stages, Work } from './Work.tsx'
import { Id } from '../parts/Id.tsx'

interface ItemViewProps {
  readonly of: Item
  /** Its error stands at the top of the page. */
  readonly isMain: boolean
}

/** All that is known of one item. */
export function ItemView({ of, isMain }: ItemViewProps) {
  const { title, facts } = of
  const { operator } = facts
  return (
    <section class="item">
      <h2>
        {kindOf(facts)} <Status of={statusOf(facts)} />
      </h2>
      <p class="item-title faint">
        <Text of={title} />
      </p>
      <Kind of={of} />
      {!isMain && 'error' in facts && <ErrorView error={facts.error} stack={facts.stack} />}
      {operator !== undefined && (
        <p>
          Changed by <Text of={operator.by} /> <Time at={operator.at} />: <Text of={operator.did} />{' '}
          (
          <Text of={operator.why} />)
        </p>
      )}
    </section>
  )
}

function Kind({ of: { facts, lines } }: { readonly of: Item }) {
  switch (facts.kind) {
    case 'request':
    case 'key':
    case 'undo':
      return <TokenView of={facts} />
    case 'flow':
      return <FlowView of={facts} />
    case 'step':
      return <StepView of={facts} />
    case 'deadRun':
      return <DeadRunView of={facts} />
    default:
      return (
        <ul class="lines">
          {lines.map((line, at) => (
            <li key={at}>
              <Text of={line} />
            </li>
          ))}
        </ul>
      )
  }
}

function TokenView({ of }: { readonly of: FactsOf<'request' | 'key' | 'undo'> }) {
  const { attempt, fence, leaseUntil, notBefore, claimedAt, claimedBy, endedAt, reason, deaths } =
    of
  const { effects, calls, sent, undoes, fates, logs, rememberedUntil } = of
  return (
    <>
      <Facts
        of={[
          reason !== undefined && { name: 'Reason', value: <Text of={reason} /> },
          { name: 'Attempt', value: attempt },
          claimedAt !== undefined && { name: 'Claimed', value: <Time at={claimedAt} /> },
          claimedBy !== undefined && {
            name: 'By',
            value: (
              <code>
                <Text of={claimedBy} />
              </code>
            ),
          },
          leaseUntil !== undefined && { name: 'Lease ends', value: <Time at={leaseUntil} /> },
          notBefore !== undefined && { name: 'Next attempt', value: <Time at={notBefore} /> },
          endedAt !== undefined && { name: 'Ended', value: <Time at={endedAt} /> },
          rememberedUntil !== undefined && {
            name: 'Duplicates are recognised',
            value: rememberedUntil === 'forever' ? 'for ever' : <Time at={rememberedUntil} />,
          },
          deaths > 0 && { name: 'Dead-lettered', value: deaths === 1 ? 'once' : `${deaths} times` },
          undoes !== undefined && { name: 'Undoes', value: <Text of={undoes} /> },
          { name: 'Fence', value: <code>{fence}</code> },
        ]}
      />
      <Work effects={effects} calls={calls} sent={sent} />
      <Fates
        of={fates}
        title={of.kind === 'key' ? 'If it is called now' : 'If it is delivered now'}
      />
      <LogQuery of={logs} />
    </>
  )
}

/** Who holds the key of a flow, since when, who waits for it, and which stages are still to come. */
function FlowView({ of }: { readonly of: FactsOf<'flow'> }) {
  const { id, run, newest, waiting, last, dropped, epoch, fence, fates, logs } = of
  const since = newest !== undefined && newest.request === run?.request ? newest.sentAt : undefined
  return (
    <>
      <Facts
        of={[
          {
            name: 'Holds the key',
            value:
              run === undefined ? (
                'no request: the key is free'
              ) : (
                <Request of={run.request} id={id} />
              ),
          },
          since !== undefined && { name: 'First sent', value: <Time at={since} /> },
          run !== undefined && { name: 'Time limit', value: <Time at={run.giveUpAt} /> },
          run?.ending !== undefined && {
            name: 'Ending',
            value: `as ${run.ending.as}${run.ending.undo ? ', its effects are undone' : ''}`,
          },
          {
            name: 'Waits for the key',
            value:
              waiting === undefined ? (
                'no request'
              ) : (
                <>
                  <Request of={waiting.request} id={id} />, sent <Time at={waiting.sentAt} />
                </>
              ),
          },
          run === undefined &&
            newest !== undefined && {
              name: 'Newest started',
              value: <Request of={newest.request} id={id} />,
            },
          last !== undefined && { name: 'Last run ended', value: `as ${last.as}` },
          dropped > 0 && { name: 'Dropped meanwhile', value: dropped },
          { name: 'Epoch and fence', value: <code>{`${epoch}, ${fence}`}</code> },
        ]}
      />
      {run !== undefined && <Stages of={run.stages} />}
      {run !== undefined && run.steps.length > 0 && (
        <p>
          Awaits <Text of={run.steps.join(', ')} />
        </p>
      )}
      <Fates of={fates} title="If it is delivered now" />
      <LogQuery of={logs} />
    </>
  )
}

function Request({ of, id }: { readonly of: string; readonly id: string }) {
  return <Id of={of} to={{ path: '/request', query: { id, request: of } }} />
}

function DeadRunView({ of }: { readonly of: FactsOf<'deadRun'> }) {
  const { request, diedAt, ending, undo, stages, marks, logs } = of
  return (
    <>
      <Facts
        of={[
          { name: 'Request', value: <Text of={request} /> },
          diedAt !== undefined && { name: 'Died', value: <Time at={diedAt} /> },
          ending !== undefined && { name: 'Ended as', value: <Text of={ending} /> },
          undo !== undefined && { name: 'Undo of its effects', value: undo },
          marks.length > 0 && { name: 'Is not repeated', value: <Text of={marks.join(', ')} /> },
        ]}
      />
      <Stages of={stages} />
      <LogQuery of={logs} />
    </>
  )
}

function StepView({ of }: { readonly of: FactsOf<'step'> }) {
  const { step, request, need, received, requested, since, until, externalIds, more, refused } = of
  return (
    <>
      <Facts
        of={[
          { name: 'Step', value: <Text of={step} /> },
          { name: 'Request', value: <Text of={request} /> },
          { name: 'Answers', value: `${received} of ${need} needed, ${requested} asked for` },
          since !== undefined && { name: 'Waits since', value: <Time at={since} /> },
          { name: 'Times out', value: <Time at={until} /> },
        ]}
      />
      {externalIds.length > 0 && (
        <ul class="lines">
          {externalIds.map(({ id, answered }) => (
            <li key={id}>
              <span class="glyph" aria-hidden="true">
                {answered ? '✔' : '…'}
              </span>
              <code>
                <Text of={id} />
              </code>{' '}
              {answered ? 'answered' : 'waits'}
            </li>
          ))}
        </ul>
      )}
      {more > 0 && <p class="faint">{more} more, whose external ids are not stored as text</p>}
      {refused !== undefined && (
        <p class="tone-bad">
          The last answer was refused: <Text of={refused} />
        </p>
      )}
    </>
  )
}
