import type { Finding } from '../answers.ts'
import { onlySource, useQueues } from '../counts.ts'
import { adviceStep, lettersIn } from '../parts/adviceStep.ts'
import { Sparkline } from '../parts/Sparkline.tsx'
import { Status, Glyph } from '../parts/Status.tsx'
import { StepButton } from '../parts/StepButton.tsx'
import { Time } from '../parts/Time.tsx'
import { href } from '../route.ts'
import type { DoctorFinding } from '../../../doctor/rule.ts'
import { session } from '../api.ts'
import { useAnswer } from '../useAnswer.ts'
import { counted } from '../parts/words.ts'

export function Findings({
  title,
  of,
}: {
  readonly title: string
  readonly of: readonly Finding[]
}) {
  if (of.length === 0) return null
  return (
    <section>
      <h2 class="part-title">{title}</h2>
      <ul class="now">
        {of.map((finding) => (
          <Line key={`${finding.kind} ${finding.of} ${finding.what}`} of={finding} />
        ))}
      </ul>
    </section>
  )
}

function Line({ of: finding }: { readonly of: Finding }) {
  const { kind, of, number, atLeast, since, severity, afterwards, advice, arrivals } = finding
  // The end is what a narrow window cuts.
  const what = [finding.what, finding.pace].filter(Boolean).join('; ')
  const tone = severity === 'note' ? 'wait' : severity
  const to = onlySource(useQueues().answer?.queues.find(({ name }) => name === of))
  const letters = kind === 'dead letters' ? { count: atLeast ? undefined : number, to } : undefined
  // To look again is what the overview does by itself.
  const step = advice.find(({ action }) => action !== 'status')
  return (
    <li>
      <Status of={kind === 'stopped' ? 'error' : kind} tone={tone} />
      <span class="number">
        {number.toLocaleString('en')}
        {atLeast && '+'}
      </span>
      <a class="cut" href={ownerOf(finding)} title={of}>
        {of}
      </a>
      <span class="what cut" title={[what, afterwards ?? ''].join('\n').trim()}>
        {what}
      </span>
      <span class="arrived">
        {arrivals !== undefined && number > 1 && (
          <Sparkline of={arrivals} label={`Arrivals of ${number} over time, the oldest first`} />
        )}
      </span>
      <span class="since faint">
        {since !== undefined ? <Time at={since} /> : severity !== 'note' && 'since ?'}
      </span>
      <span class="next">
        {step !== undefined && (
          <StepButton
            of={step}
            {...(kind !== 'backlog' && { pageTitle: 'Look' })}
            letters={letters}
          />
        )}
        {lettersOf(finding)}
      </span>
    </li>
  )
}

const OF_QUEUES: ReadonlySet<Finding['kind']> = new Set([
  'no consumer',
  'failing',
  'no progress',
  'backlog',
])

function ownerOf({ kind, of }: Finding): string {
  if (kind === 'operation') return href('/history', { plan: of.split(' ').at(-1) })
  if (OF_QUEUES.has(kind)) return href('/doctor', { queue: of })
  return kind === 'dead letters'
    ? href('/letters', of.includes(',') ? {} : { queue: of })
    : href('/tasks', kind === 'sweeper' ? {} : { consumer: of })
}

/** Beside a redrive: the link to the letters that it would send. */
function lettersOf({ kind, advice: [first] }: Finding) {
  if (kind !== 'dead letters' || first === undefined) return null
  if (adviceStep(first).kind !== 'change') return null
  return (
    <a class="button" href={href('/letters', lettersIn(first.given))}>
      Look
    </a>
  )
}

/** Milliseconds. It is a file that is edited by hand. */
const EVERY = 15_000

/** What is wrong with the template that the local cloud names: no table and no queue shows it. */
export function TemplateLine() {
  const template = session.value?.template
  const { answer } = useAnswer<{ readonly findings: readonly DoctorFinding[] }>(
    'doctor',
    template === undefined ? undefined : { template },
    EVERY,
  )
  const severities = answer?.findings.map(({ severity }) => severity) ?? []
  // Questions and notes are no mistakes.
  const mistakes = severities.filter((each) => each === 'error' || each === 'warning').length
  if (template === undefined || mistakes === 0) return null
  const isBad = severities.includes('error')
  return (
    <span class={`template-line tone-${isBad ? 'bad' : 'warn'}`}>
      <Glyph of={isBad ? '✖' : '!'} />
      {counted(mistakes, 'mistake')} in {template.split(/[/\\]/).at(-1)}
      <a class="button" href={href('/doctor', { template })}>
        Doctor
      </a>
    </span>
  )
}
