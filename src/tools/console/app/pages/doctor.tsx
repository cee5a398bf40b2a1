import { useState } from 'preact/hooks'
import type { DoctorFinding } from '../../../doctor/index.ts'
import { valuesOf } from '../address.ts'
import { Tick } from '../parts/fields.tsx'
import { Answer, Empty } from '../parts/standIns.tsx'
import { Status } from '../parts/Status.tsx'
import { Text } from '../parts/Text.tsx'
import { counted } from '../parts/words.ts'
import { address, href, setQuery } from '../route.ts'
import { session } from '../api.ts'
import { useAnswer } from '../useAnswer.ts'

export function Doctor() {
  const { query } = address.value
  const [template, queue] = [valuesOf(query['template']), valuesOf(query['queue'])]
  const isAsked = template.length + queue.length > 0
  const asked = { template, queue, delays: query['delays'], brake: query['brake'] }
  const answered = useAnswer<{ readonly findings: readonly DoctorFinding[] }>(
    'doctor',
    isAsked ? asked : undefined,
    { every: 0 },
  )
  return (
    <>
      <Form key={queue.join(' ')} queues={queue} />
      {!isAsked && (
        <Empty title="Which set-up should be checked?">
          A deployed queue is read with its table, its event source mappings and its functions;
          nothing is changed. To check a template, type{' '}
          <code>lineclear doctor --template PATH</code>.
        </Empty>
      )}
      <Answer of={answered}>{({ findings }) => <Findings of={findings} />}</Answer>
    </>
  )
}

function Form({ queues }: { readonly queues: readonly string[] }) {
  const [typed, setTyped] = useState(queues.join(' '))
  const template = session.value?.template
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault()
        setQuery({ template: undefined, queue: typed.split(/\s+/) })
      }}
    >
      <input
        aria-label="Queues"
        placeholder="deployed queue"
        value={typed}
        onInput={({ currentTarget: { value } }) => setTyped(value)}
      />
      <Tick name="delays" label="uses storedDelays" />
      <Tick name="brake" label="uses brakes" />
      <button type="submit" class="main">
        Check
      </button>
      {template !== undefined && (
        <a class="button" href={href('/doctor', { template })}>
          Check <Text of={template} />
        </a>
      )}
    </form>
  )
}

const TONES = {
  error: 'bad',
  warning: 'warn',
  question: 'wait',
  note: 'quiet',
  unchecked: 'quiet',
} as const

/** The worst first. */
const SEVERITIES = Object.keys(TONES) as readonly DoctorFinding['severity'][]

function Findings({ of }: { readonly of: readonly DoctorFinding[] }) {
  const groups = SEVERITIES.map((each) => of.filter(({ severity }) => severity === each)).filter(
    (found) => found.length > 0,
  )
  if (groups.length === 0) return <Empty title="Nothing found." />
  return (
    <>
      <p class="headline">
        {groups.map((found) => counted(found.length, found[0]?.severity ?? '')).join(', ')}
      </p>
      <ul class="findings">
        {groups.flat().map((finding, at) => (
          <Finding key={at} of={finding} />
        ))}
      </ul>
    </>
  )
}

function Finding({ of }: { readonly of: DoctorFinding }) {
  const { severity, subject, problem, consequence, cure, source } = of
  return (
    <li>
      <Status of={severity} tone={TONES[severity]} />
      <div>
        <p>
          <b>
            <Text of={subject} />
          </b>{' '}
          <Text of={problem} />
        </p>
        <p class="faint">
          <Text of={consequence} />
        </p>
        <p>
          <b>Cure</b> <Text of={cure} />
        </p>
        {isLink(source) && (
          <p>
            <a href={source} target="_blank" rel="noreferrer">
              AWS documentation
            </a>
          </p>
        )}
      </div>
    </li>
  )
}

function isLink(source: string): boolean {
  return URL.canParse(source) && new URL(source).protocol === 'https:'
}
