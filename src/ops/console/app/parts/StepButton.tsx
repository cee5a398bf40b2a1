import { href } from '../route.ts'
import { session } from '../session.ts'
import { copy } from './copy.ts'
import { plainText } from './safeText.ts'
import { planChange } from './plans.ts'
import { stepOf } from './stepOf.ts'

interface StepButtonProps {
  /** A command as it was printed. */
  readonly of: string
  /** Words on the button. Default: what the step is. */
  readonly children?: string
  readonly main?: boolean
}

/** A command as something to click: a link to the page that shows the same, a plan, or else the command to copy. */
export function StepButton({ of, children, main = false }: StepButtonProps) {
  const step = stepOf(of)
  const title = plainText(of)
  const look = main ? 'button main' : 'button'
  if (step.kind === 'page') {
    return (
      <a class={look} href={href(step.path, step.query)} title={title}>
        {children ?? 'look'}
      </a>
    )
  }
  if (step.kind === 'action' && session.value?.canChange === true) {
    const name = ACTIONS[step.action] ?? step.action
    return (
      <button
        type="button"
        class={look}
        title={title}
        onClick={() => planChange({ action: step.action, given: step.given, title: name })}
      >
        {children ?? name.toLowerCase()}…
      </button>
    )
  }
  return (
    <button type="button" class={look} title={title} onClick={() => void copy(of, 'Command')}>
      {children ?? 'copy command'}
    </button>
  )
}

const ACTIONS: Readonly<Record<string, string>> = {
  'dlq.redrive': 'Send back',
  'dlq.discard': 'Discard',
  sweep: 'Sweep',
  pause: 'Pause',
  resume: 'Resume',
}
