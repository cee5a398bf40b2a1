import { useState } from 'preact/hooks'
import type { Explained } from '../../answers.ts'
import { valueOf } from '../../address.ts'
import { AsCommand } from '../../parts/AsCommand.tsx'
import { Empty, Failure, Skeleton } from '../../parts/standIns.tsx'
import { Facts } from '../../parts/Facts.tsx'
import { Id } from '../../parts/Id.tsx'
import { type Asked, planChange } from '../../parts/plans.ts'
import { Status } from '../../parts/Status.tsx'
import { Text } from '../../parts/Text.tsx'
import { Time } from '../../parts/Time.tsx'
import { address } from '../../route.ts'
import { useAnswer } from '../../useAnswer.ts'
import { readAnswer } from './readAnswer.ts'

type StepFacts = Extract<Explained['explained'][number]['facts'], { readonly kind: 'step' }>

/** One awaited step: what it waits for, and its answer by hand. */
export function StepView() {
  const { query } = address.value
  const [id, step] = [valueOf(query['id']), valueOf(query['step'])]
  const request = query['request']
  const { answer, failure, loading, refresh } = useAnswer<Explained>('request', { id, request })
  const found = answer?.explained
    .map(({ facts }) => facts)
    .find((facts): facts is StepFacts => facts.kind === 'step' && facts.step === step)
  return (
    <>
      <nav class="crumbs" aria-label="Way back">
        <a href="/steps">all awaited steps</a>
        <span aria-current="page">
          <Text of={`${id} ${step}`} />
        </span>
      </nav>
      {failure !== undefined && <Failure of={failure} again={refresh} />}
      {loading && <Skeleton lines={6} />}
      {found !== undefined && <Shown step={found} />}
      {found === undefined && answer !== undefined && (
        <>
          <Empty title="No such step is stored under this key.">
            Its run has ended. If its handler has died of a wrong answer, the step can wait again.
          </Empty>
          <Reopen given={{ id, step, ...(request !== undefined && { request }) }} />
        </>
      )}
      <AsCommand of={answer} />
    </>
  )
}

function Shown({ step: facts }: { readonly step: StepFacts }) {
  const { id, step, request, status, since, until, need, received, externalIds, refused } = facts
  const given = { id, step, request }
  const isOpen = status === 'waiting' || status === 'overdue'
  return (
    <>
      <p class="headline">
        <Status of={status} /> {received} of {need} answers
        {facts.reopened && ', and its earlier answer was given up'}
      </p>
      <Facts
        of={[
          { name: 'Flow and key', value: <Id of={id} copies /> },
          {
            name: 'Request',
            value: <Id of={request} to={{ path: '/request', query: { id, request } }} />,
          },
          { name: 'Step', value: <Text of={step} /> },
          since !== undefined && { name: 'Since', value: <Time at={since} /> },
          { name: 'Until', value: <Time at={until} /> },
          {
            name: 'External ids',
            value: (
              <ul>
                {externalIds.map((each) => (
                  <li key={each.id}>
                    <Id of={each.id} to={null} copies /> {each.answered && <Status of="done" />}
                  </li>
                ))}
                {facts.more > 0 && <li>and {facts.more} more, not stored in plain text</li>}
              </ul>
            ),
          },
        ]}
      />
      {refused !== undefined && (
        <p class="tone-bad">
          <span aria-hidden="true">✖ </span>The last answer by hand was refused:{' '}
          <Text of={refused} />
        </p>
      )}
      {isOpen && <Complete given={given} externalIds={externalIds.map((each) => each.id)} />}
      {isOpen && (
        <section>
          <h2>No answer will come</h2>
          <p class="actions">
            <button
              type="button"
              onClick={() =>
                planChange({ action: 'awaits.fail', given, title: `End the wait of ${step}` })
              }
            >
              End the wait…
            </button>
            <span class="faint">The flow continues with onTimeout.</span>
          </p>
        </section>
      )}
      {!isOpen && <Reopen given={given} />}
    </>
  )
}

interface GivenProps {
  readonly given: Readonly<Record<string, unknown>>
}

/** The step's schema is with its function, which validates the answer before it is taken: what it refuses is shown, and the step waits on. */
function Complete({
  given,
  externalIds,
}: GivenProps & { readonly externalIds: readonly string[] }) {
  const [typed, setTyped] = useState('')
  const read = readAnswer(typed, externalIds)
  return (
    <section>
      <h2>Answer for the outside system</h2>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          if (read.kind !== 'answer') return
          planChange({
            action: 'awaits.complete',
            given: {
              ...given,
              answer: read.answer,
              ...(read.names === undefined && ask(externalIds)),
            },
            title: 'Complete the step',
          })
        }}
      >
        <label>
          <span>Its answer as JSON, as it would send it: with the external id in it</span>
          <textarea
            class="code"
            rows={6}
            spellcheck={false}
            value={typed}
            placeholder={example(externalIds)}
            aria-describedby="answer-state"
            aria-invalid={read.kind === 'wrong'}
            onInput={({ currentTarget: { value } }) => setTyped(value)}
          />
        </label>
        <p id="answer-state" role="status" class={read.kind === 'wrong' ? 'tone-bad' : 'faint'}>
          <Text of={read.says} />
        </p>
        <p class="actions">
          <button type="submit" class="main" disabled={read.kind !== 'answer'}>
            Show the plan…
          </button>
        </p>
      </form>
    </section>
  )
}

/** The only external id is the one that is meant. */
function ask([only, ...others]: readonly string[]): { readonly externalId?: string } {
  return only !== undefined && others.length === 0 ? { externalId: only } : {}
}

function example([first = 'ID']: readonly string[]): string {
  return `{ "id": ${JSON.stringify(first)}, … }`
}

const REOPEN: readonly Asked[] = [
  {
    name: 'for',
    label: 'Wait at least this long from now (default: 1d)',
    kind: 'text',
    hint: '1d',
    optional: true,
  },
  {
    name: 'externalId',
    label: 'External id of the answer that is given up, if several were taken',
    kind: 'text',
    optional: true,
  },
]

function Reopen({ given }: GivenProps) {
  return (
    <section>
      <h2>Its answer was wrong</h2>
      <p class="actions">
        <button
          type="button"
          onClick={() =>
            planChange({
              action: 'awaits.reopen',
              given,
              title: 'Let the step wait again',
              ask: REOPEN,
            })
          }
        >
          Let it wait again…
        </button>
        <span class="faint">Only while the handler of that answer is dead, or has not begun.</span>
      </p>
    </section>
  )
}
