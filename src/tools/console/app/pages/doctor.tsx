import type { DoctorFinding } from '../../../doctor/rule.ts'
import { valueOf } from '../address.ts'
import { Answer, Empty } from '../parts/standIns.tsx'
import { Status } from '../parts/Status.tsx'
import { counted } from '../parts/words.ts'
import { address } from '../route.ts'
import { useAnswer } from '../useAnswer.ts'

/** The doctor's page, for the queue or template that a link names: its set-up is read, and nothing is changed. */
export function Doctor() {
  const { query } = address.value
  const { template, queue, delays, circuitBreaker } = query
  const isAsked = valueOf(template) !== '' || valueOf(queue) !== ''
  const answered = useAnswer<{ readonly findings: readonly DoctorFinding[] }>(
    'doctor',
    isAsked ? { template, queue, delays, circuitBreaker } : undefined,
    0,
  )
  if (!isAsked) {
    return (
      <Empty title="Which set-up should be checked?">
        Findings of the overview lead here. To check a template, type{' '}
        <code>lineclear doctor --template PATH</code>; a deployed queue, <code>--queue NAME</code>.
      </Empty>
    )
  }
  return <Answer of={answered}>{({ findings }) => <Findings of={findings} />}</Answer>
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
          <b>{subject}</b> {problem}
        </p>
        <p class="faint">{consequence}</p>
        <p>
          <b>Cure</b> {cure}
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
