import type { Advice } from '../../../operator/item/advice.ts'
import { argumentText } from '../../../operator/item/advise.ts'
import { commandLine } from '../../../operator/text/commandLine.ts'
import { href } from '../route.ts'
import { session } from '../api.ts'
import { type AboutLetters, adviceStep } from './adviceStep.ts'
import { copy } from './AsCommand.tsx'
import { type Intent, planChange } from './plans.ts'

interface StepButtonProps {
  readonly of: Pick<Advice, 'action' | 'given' | 'args' | 'text'>
  /** Words of a link to a page. Default: what is seen there. */
  readonly pageTitle?: string
  readonly main?: boolean
  /** The dead letters that a finding is about. Default: the dead letter of a request. */
  readonly letters?: AboutLetters | undefined
}

/**
 * What a command advises, as something to click: a link to the page that shows the same, or a plan. A console that only reads gives
 * the command to copy.
 */
export function StepButton({ of, pageTitle, main = false, letters }: StepButtonProps) {
  const step = adviceStep(of, letters)
  const title = of.text
  const look = main ? 'button main' : 'button'
  if (step.kind === 'note') return null
  if (step.kind === 'page') {
    return (
      <a class={look} href={href(step.path, step.query)} title={title}>
        {pageTitle ?? step.title}
      </a>
    )
  }
  const { intent } = step
  if (session.value?.canChange === true) {
    return <PlanButton of={intent} main={main} about={title} />
  }
  return (
    <button
      type="button"
      class={look}
      title={title}
      onClick={() => void copy(commandLine(of.args.map(argumentText)), 'Command')}
    >
      {intent.title}: copy command
    </button>
  )
}

interface PlanButtonProps {
  readonly of: Intent
  readonly words?: string
  readonly about?: string
  readonly main?: boolean
}

export function PlanButton({ of, words = of.title, about, main = false }: PlanButtonProps) {
  return (
    <button
      type="button"
      class={main ? 'button main' : 'button'}
      title={about}
      onClick={() => planChange(of)}
    >
      {words}…
    </button>
  )
}
