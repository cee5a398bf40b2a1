import type { Query } from '../address.ts'
import { shellWords } from './shellWords.ts'

/** A command that was printed, as something to click: a page that shows the same, or a change that is planned first. */
type Step =
  | { readonly kind: 'page'; readonly path: string; readonly query: Query }
  | {
      readonly kind: 'action'
      readonly action: string
      readonly given: Readonly<Record<string, Given>>
    }
  /** To be typed. */
  | { readonly kind: 'command' }

type Given = string | true | readonly string[]

const COMMAND: Step = { kind: 'command' }

/** @param line @example 'lineclear dlq redrive orders-dead --group 5af85f54' */
export function stepOf(line: string): Step {
  const [name, ...words] = shellWords(line)
  if (name !== 'lineclear') return COMMAND
  const { positional, options } = readWords(words)
  const [command = '', sub = ''] = positional
  const form = FORMS[command] ?? FORMS[`${command} ${sub}`]
  if (form === undefined) return COMMAND
  const rest = positional.slice(FORMS[command] === undefined ? 2 : 1)
  // What the person has to fill in is no value.
  return rest.concat(...Object.values(options).map(String)).some(isPlaceholder)
    ? COMMAND
    : form(rest, options)
}

type Options = Readonly<Record<string, string | true>>

/** Options without a value, of the commands below. */
const FLAGS: ReadonlySet<string> = new Set(['all', 'apply', 'body', 'due', 'scan', 'search'])

function readWords(words: readonly string[]): {
  readonly positional: readonly string[]
  readonly options: Options
} {
  const positional: string[] = []
  const options: Record<string, string | true> = {}
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ''
    if (word === '--') return { positional: [...positional, ...words.slice(at + 1)], options }
    if (!word.startsWith('--')) positional.push(word)
    else {
      const [name = '', ...value] = word.slice(2).split('=')
      if (FLAGS.has(name)) options[name] = true
      else if (value.length > 0) options[name] = value.join('=')
      else {
        at += 1
        options[name] = words[at] ?? ''
      }
    }
  }
  return { positional, options }
}

function isPlaceholder(word: string): boolean {
  return /^(?:[A-Z]{2,}(?:=[A-Z]+)?|…)$/.test(word)
}

type Form = (rest: readonly string[], options: Options) => Step

const FORMS: Readonly<Record<string, Form>> = {
  explain: ([id], { request }) => page('/request', { id, request: text(request) }),
  ls: (_, { consumer, flow, status, due, stage, older }) =>
    page('/tasks', {
      consumer: text(flow ?? consumer),
      status: text(status)?.split(','),
      due: due === true ? '1' : undefined,
      stage: text(stage),
      older: text(older),
    }),
  'dlq groups': ([queue]) => page('/letters', { queue }),
  'dlq peek': ([queue], { group, id }) =>
    page('/letters', { queue, group: text(group), id: text(id) }),
  'dlq redrive': ([queue], options) => action('dlq.redrive', selection(queue, options)),
  'dlq discard': ([queue], options) => action('dlq.discard', selection(queue, options)),
  'tokens groups': () => page('/doubts', {}),
  sweep: (_, { search }) => action('sweep', search === true ? { search } : {}),
  pause: (_, options) => action('pause', options),
  resume: (_, options) => action('resume', options),
}

function selection(
  queue: string | undefined,
  { group, id, all }: Options,
): Readonly<Record<string, Given>> {
  return {
    ...(queue !== undefined && { queue }),
    ...(all === true && { all }),
    ...(group !== undefined && { group }),
    ...(id !== undefined && { id }),
  }
}

function page(path: string, query: Query): Step {
  return { kind: 'page', path, query }
}

function action(name: string, given: Readonly<Record<string, Given>>): Step {
  return { kind: 'action', action: name, given }
}

function text(value: string | true | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
