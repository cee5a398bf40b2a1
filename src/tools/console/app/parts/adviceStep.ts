import type { Advice, AdvisedArgument, AdvisedValue } from '../../../operator/item/advice.ts'
import type { Address, Query } from '../address.ts'
import type { Asked, Intent } from './plans.ts'
import { counted } from './words.ts'

/** Advice as something to click: a page that shows what the command shows, or a change that is planned first. */
type Step =
  | ({ readonly kind: 'page'; readonly title: string } & Address)
  | { readonly kind: 'change'; readonly intent: Intent }
  /** There is nothing to do but to know it. */
  | { readonly kind: 'note' }

/** The dead letters that advice is about. */
export interface AboutLetters {
  /** Default: one, of the request that is shown. undefined: not counted. */
  readonly count: number | undefined
  /** The queue that they go back to, if it is one and known. */
  readonly to?: string | undefined
}

/** What a change of dead letters does, in the words of a button. */
export function redriveTitle({ count, to }: AboutLetters): string {
  const letters = count === undefined ? 'all dead letters' : counted(count, 'dead letter')
  return to === undefined ? `Send ${letters} back` : `Send ${letters} to ${to}`
}

export function discardTitle({ count }: AboutLetters): string {
  return count === undefined
    ? 'Discard all dead letters'
    : `Discard ${counted(count, 'dead letter')}`
}

export function adviceStep(
  { action, given }: Pick<Advice, 'action' | 'given'>,
  letters?: AboutLetters,
): Step {
  switch (action) {
    case undefined:
      return { kind: 'note' }
    case 'explain':
      if (given['history'] === true) {
        return page('See the history', '/history', { id: text(given['id']) })
      }
      return page('Look', '/request', { id: text(given['id']), request: text(given['request']) })
    case 'ls':
      return page('See them', '/tasks', {
        consumer: text(given['flow']) ?? text(given['consumer']),
        stage: text(given['stage']),
        status: text(given['status'])?.split(','),
        older: text(given['older']),
        due: given['due'] === true ? '1' : undefined,
      })
    case 'status':
      return given['plan'] === undefined
        ? page('Look again', '/', {})
        : page('Follow it', '/history', { plan: text(given['plan']) })
    case 'doctor':
      return page('Ask the doctor', '/doctor', { queue: text(given['queue']) })
    // The page has a form for the correction.
    case 'dlq.edit':
      return page('Correct it', '/letters', lettersIn(given))
    case 'dlq.peek':
    case 'dlq.groups':
      return given['per'] === undefined
        ? page('See the dead letters', '/letters', lettersIn(given))
        : page('Whose they are', '/letters', { ...lettersIn(given), per: TENANT })
    default:
      return { kind: 'change', intent: intentOf(action, given, titleOf(action, given, letters)) }
  }
}

/** The attribute that names the tenant on a fair queue; on the page another attribute can be given. */
const TENANT = 'MessageGroupId'

export function lettersIn({ queue, group, id }: Advice['given']): Query {
  return { queue: text(queue), group: text(group), id: text(id) }
}

function page(title: string, path: string, query: Query): Step {
  return { kind: 'page', path, query, title }
}

/** A name for each change, in the words of a button; of a decision by its own word. */
const TITLES: Readonly<Record<string, string>> = {
  again: 'Open it again',
  answer: 'Answer the step',
  done: 'Mark as done',
  drop: 'Drop it',
  free: 'Free it',
  timeout: 'End the wait',
  'dlq.restore': 'Put it back on its queue',
  pause: 'Pause',
  resume: 'Resume',
  sweep: 'Sweep once',
}

function titleOf(action: string, { decision }: Advice['given'], letters?: AboutLetters): string {
  if (action === 'dlq.redrive') {
    return letters === undefined ? 'Send its dead letter back' : redriveTitle(letters)
  }
  if (action === 'dlq.discard') {
    return letters === undefined ? 'Discard its dead letter' : discardTitle(letters)
  }
  return TITLES[(action === 'decide' ? text(decision) : undefined) ?? action] ?? action
}

function intentOf(action: string, given: Advice['given'], title: string): Intent {
  const known: Record<string, string | true | readonly string[]> = {}
  const ask: Asked[] = []
  for (const [name, value] of Object.entries(given)) {
    const values = listOf(value)
    ask.push(...values.flatMap((each) => askedOf(name, each)))
    const texts = values.filter((each) => typeof each === 'string')
    if (value === true) known[name] = true
    else if (texts.length > 0) known[name] = Array.isArray(value) ? texts : (texts[0] ?? '')
  }
  return { action, given: known, title, ...(ask.length > 0 && { ask }) }
}

function listOf(value: AdvisedValue): readonly AdvisedArgument[] {
  if (value === true) return []
  return typeof value === 'string' || 'ask' in value ? [value] : value
}

const LABELS = {
  answer: 'Its answer, as JSON',
  attribute: 'Message attribute',
  change: 'What to change',
  id: 'Id',
  plan: 'Name of the plan',
  queue: 'Queue',
} as const

function askedOf(name: string, argument: AdvisedArgument): readonly Asked[] {
  if (typeof argument === 'string') return []
  const { ask, before } = argument
  const key = before.replace(/=$/, '')
  return [
    {
      name,
      label: key === '' ? LABELS[ask] : `The answer of ${key}, as JSON`,
      kind: ask === 'answer' ? 'json' : 'text',
      ...(key !== '' && { key }),
    },
  ]
}

function text(value: AdvisedValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
