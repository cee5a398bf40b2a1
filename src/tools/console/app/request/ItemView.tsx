import { Glyph, Status } from '../parts/Status.tsx'
import { Time } from '../parts/Time.tsx'
import { type FactsOf, type Item, kindOf, statusOf } from './item.ts'
import { type Fact, Facts, Id } from '../parts/Id.tsx'
import { ErrorView } from '../parts/ErrorView.tsx'
import { Fates, LogQuery, Stages, Work } from './Work.tsx'

interface ItemViewProps {
  readonly of: Item
  /** Its error stands at the top of the page. */
  readonly isMain: boolean
}

export function ItemView({ of, isMain }: ItemViewProps) {
  const { title, facts } = of
  const { operator } = facts
  return (
    <section class="item">
      <h2>
        {kindOf(facts)} <Status of={statusOf(facts)} />
      </h2>
      <p class="item-title faint">{title}</p>
      <Kind of={of} />
      {!isMain && 'error' in facts && <ErrorView error={facts.error} stack={facts.stack} />}
      {operator !== undefined && (
        <p>
          Changed by {operator.by} <Time at={operator.at} />: {operator.did} ({operator.why})
        </p>
      )}
    </section>
  )
}

function Kind({ of: { facts, lines } }: { readonly of: Item }) {
  switch (facts.kind) {
    case 'request':
    case 'key':
    case 'undo': {
      const when = facts.kind === 'key' ? 'called' : 'delivered'
      return (
        <>
          <Facts of={factsIn(facts)} />
          <Work of={facts} />
          <Fates of={facts.fates} title={`If it is ${when} now`} />
          <LogQuery of={facts.logs} />
        </>
      )
    }
    case 'flow':
      return (
        <>
          <Facts of={[...keyFacts(facts), ...factsIn(facts)]} />
          {facts.run !== undefined && <Stages of={facts.run.stages} />}
          {facts.run !== undefined && facts.run.steps.length > 0 && (
            <p>Awaits {facts.run.steps.join(', ')}</p>
          )}
          <Fates of={facts.fates} title="If it is delivered now" />
          <LogQuery of={facts.logs} />
        </>
      )
    case 'step':
      return <StepView of={facts} />
    case 'deadRun':
      return (
        <>
          <Facts of={factsIn(facts)} />
          <Stages of={facts.stages} />
          <LogQuery of={facts.logs} />
        </>
      )
    default:
      return (
        <ul class="lines">
          {lines.map((line, at) => (
            <li key={at}>{line}</li>
          ))}
        </ul>
      )
  }
}

/** Facts of any kind that are shown as they are, in the order in which they are read. */
const ROWS: readonly (readonly [field: string, name: string, look?: 'time' | 'code'])[] = [
  ['step', 'Step'],
  ['request', 'Request'],
  ['reason', 'Reason'],
  ['attempt', 'Attempt'],
  ['claimedAt', 'Claimed', 'time'],
  ['claimedBy', 'By', 'code'],
  ['leaseUntil', 'Lease ends', 'time'],
  ['notBefore', 'Next attempt', 'time'],
  ['since', 'Waits since', 'time'],
  ['until', 'Times out', 'time'],
  ['endedAt', 'Ended', 'time'],
  ['diedAt', 'Died', 'time'],
  ['ending', 'Ended as'],
  ['undo', 'Undo of its effects'],
  ['undoes', 'Undoes'],
  ['marks', 'Is not repeated'],
  ['rememberedUntil', 'Duplicates are recognised', 'time'],
  ['deaths', 'Times dead-lettered'],
  ['dropped', 'Dropped meanwhile'],
  ['epoch', 'Epoch', 'code'],
  ['fence', 'Fence', 'code'],
]

function factsIn(facts: Item['facts']): readonly Fact[] {
  const known = new Map<string, unknown>(Object.entries(facts))
  return ROWS.flatMap(([field, name, look]) => {
    const found = known.get(field)
    const text = [found].flat().filter(isShown).join(', ')
    if (text === '') return []
    if (look === 'time' && text !== 'forever') return [{ name, value: <Time at={text} /> }]
    const value = text
    return [{ name, value: look === 'code' ? <code>{value}</code> : value }]
  })
}

function isShown(value: unknown): value is string | number {
  return typeof value === 'string' || (typeof value === 'number' && value > 0)
}

/** Who holds the key of a flow, since when, and who waits for it. */
function keyFacts({ id, run, newest, waiting, last }: FactsOf<'flow'>) {
  const since = newest !== undefined && newest.request === run?.request ? newest.sentAt : undefined
  return [
    {
      name: 'Holds the key',
      value:
        run === undefined ? 'no request: the key is free' : <Request of={run.request} id={id} />,
    },
    since !== undefined && { name: 'First sent', value: <Time at={since} /> },
    run !== undefined && { name: 'Time limit', value: <Time at={run.giveUpAt} /> },
    run?.ending !== undefined && {
      name: 'Ending',
      value: `as ${run.ending.as}${run.ending.undo ? ', its effects are undone' : ''}`,
    },
    waiting !== undefined && {
      name: 'Waits for the key',
      value: (
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
  ]
}

function Request({ of, id }: { readonly of: string; readonly id: string }) {
  return <Id of={of} to={{ path: '/request', query: { id, request: of } }} />
}

function StepView({ of }: { readonly of: FactsOf<'step'> }) {
  const { need, received, requested, externalIds, more, refused } = of
  const answers = `${received} of ${need} needed, ${requested} asked for`
  return (
    <>
      <Facts of={[...factsIn(of), { name: 'Answers', value: answers }]} />
      <ul class="lines">
        {externalIds.map(({ id, answered }) => (
          <li key={id}>
            <Glyph of={answered ? '✔' : '…'} />
            <code>{id}</code> {answered ? 'answered' : 'waits'}
          </li>
        ))}
      </ul>
      {more > 0 && <p class="faint">{more} more, whose external ids are not stored as text</p>}
      {refused !== undefined && <p class="tone-bad">The last answer was refused: {refused}</p>}
    </>
  )
}
