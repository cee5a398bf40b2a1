import { Glyph } from '../parts/Status.tsx'
import type { DoctorFinding } from '../../../doctor/index.ts'
import { Text } from '../parts/Text.tsx'
import { href } from '../route.ts'
import { session } from '../session.ts'
import { useAnswer } from '../useAnswer.ts'
import { mistakesIn } from './findings.ts'

/** Milliseconds. It is a file that is edited by hand. */
const EVERY = 15_000

/** What is wrong with the template that the local cloud names: no table and no queue tells of it. */
export function TemplateLine() {
  const template = session.value?.template
  const { answer } = useAnswer<{ readonly findings: readonly DoctorFinding[] }>(
    'doctor',
    template === undefined ? undefined : { template },
    { every: EVERY },
  )
  if (template === undefined || answer === undefined) return null
  const mistakes = mistakesIn(answer.findings, template)
  if (mistakes === undefined) return null
  const { text, title, tone } = mistakes
  return (
    <span class={`template-line tone-${tone}`} title={title}>
      <Glyph of={tone === 'bad' ? '✖' : '!'} />
      <Text of={text} />
      <a class="button" href={href('/doctor', { template })}>
        Doctor
      </a>
    </span>
  )
}
