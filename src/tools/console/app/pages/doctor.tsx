import { useState } from 'preact/hooks'
import type { DoctorFinding } from '../../../doctor/index.ts'
import { valueOf, valuesOf } from '../address.ts'
import { AsCommand } from '../parts/AsCommand.tsx'
import { counted } from '../parts/words.ts'
import { Empty, Failure, Skeleton } from '../parts/standIns.tsx'
import { Status } from '../parts/Status.tsx'
import { Text } from '../parts/Text.tsx'
import { address, setQuery } from '../route.ts'
import { useAnswer } from '../useAnswer.ts'
import { bySeverity } from './doctor/bySeverity.ts'

export function Doctor() {
  const { query } = address.value
  const [templates, queues] = [valuesOf(query['template']), valuesOf(query['queue'])]
  const isAsked = templates.length + queues.length > 0
  const asked = {
    template: templates,
    queue: queues,
    delays: query['delays'],
    brake: query['brake'],
  }
  const { answer, failure, loading, refresh } = useAnswer<{
    readonly findings: readonly DoctorFinding[]
  }>('doctor', isAsked ? asked : undefined, { every: 0 })
  return (
    <>
      <Form />
      {failure !== undefined && <Failure of={failure} again={refresh} />}
      {loading && <Skeleton lines={8} />}
      {!isAsked && (
        <Empty title="Which set-up should be checked?">
          A template is read from the machine that runs the console, without a call to AWS. A queue
          is read with its table, its event source mappings and its functions; nothing is changed.
        </Empty>
      )}
      {answer !== undefined && <Findings of={answer.findings} />}
      <AsCommand of={answer} />
    </>
  )
}

function Form() {
  const { query } = address.value
  const [template, setTemplate] = useState(valuesOf(query['template']).join(' '))
  const [queue, setQueue] = useState(valuesOf(query['queue']).join(' '))
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault()
        const templates = wordsIn(template)
        setQuery({ template: templates, queue: templates.length > 0 ? undefined : wordsIn(queue) })
      }}
    >
      <input
        class="wide"
        aria-label="Templates"
        placeholder="template.yml, cdk.out, …"
        value={template}
        onInput={({ currentTarget: { value } }) => setTemplate(value)}
      />
      <span class="faint">or</span>
      <input
        aria-label="Queues"
        placeholder="deployed queue"
        value={queue}
        onInput={({ currentTarget: { value } }) => setQueue(value)}
      />
      <Flag name="delays" title="uses storedDelays" />
      <Flag name="brake" title="uses brakes" />
      <button type="submit" class="main">
        Check
      </button>
    </form>
  )
}

function Flag({ name, title }: { readonly name: string; readonly title: string }) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={valueOf(address.value.query[name]) === '1'}
        onChange={({ currentTarget: { checked } }) =>
          setQuery({ [name]: checked ? '1' : undefined })
        }
      />
      <span>{title}</span>
    </label>
  )
}

function wordsIn(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '')
}

function Findings({ of }: { readonly of: readonly DoctorFinding[] }) {
  const groups = bySeverity(of)
  if (groups.length === 0) return <Empty title="Nothing found." />
  return (
    <>
      <p class="headline">
        {groups.map(([severity, found]) => counted(found.length, severity)).join(', ')}
      </p>
      {groups.map(([severity, found]) => (
        <ul key={severity} class="findings">
          {found.map((finding, at) => (
            <Finding key={at} of={finding} />
          ))}
        </ul>
      ))}
    </>
  )
}

const TONES = {
  error: 'bad',
  warning: 'warn',
  question: 'wait',
  note: 'quiet',
  unchecked: 'quiet',
} as const

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
