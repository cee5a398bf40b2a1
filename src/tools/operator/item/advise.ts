import { commandLine, optionName } from '../text/commandLine.ts'
import type { Decision } from './decisions.ts'
import type { Advice, AdvisedAction, AdvisedArgument, AdvisedValue } from './advice.ts'

/** A command before it is typed. The order of its names is the order in which they are printed. */
export interface AdvisedCommand {
  readonly action: AdvisedAction
  readonly positionals?: Readonly<Record<string, AdvisedArgument>>
  /** In camel case. A list repeats its option. */
  readonly options?: Readonly<Record<string, AdvisedValue>>
  /** Arguments that come last, and that a plan gets by itself, such as `--apply`. */
  readonly last?: readonly string[]
}

interface Place {
  /** Text after the command, with its own punctuation: `; the next call runs it`. */
  readonly after?: string
  readonly cure?: boolean
  readonly joined?: Advice['joined']
  /** What closes the line in print only, such as `. By hand:`. */
  readonly closing?: string
}

export function decideCommand(
  id: string,
  decision: Decision,
  options: AdvisedCommand['options'] = {},
): AdvisedCommand {
  return { action: 'decide', positionals: { id, decision }, options }
}

/** The option of a decision that says that these calls were made. */
export function madeOption(calls: readonly string[]): NonNullable<AdvisedCommand['options']> {
  return { made: calls.map((call) => ({ ask: 'answer', word: 'JSON', before: `${call}=` })) }
}

/** A command and the sentence around it. @param before with its own punctuation: `if nothing was done: ` */
export function advise(
  before: string,
  command: AdvisedCommand,
  { after = '', closing = '', ...place }: Place = {},
): Advice {
  const { action, positionals = {}, options = {} } = command
  return {
    ...note(`${before}${commandText(command)}${after}${closing}`, place),
    when: nonEmpty(before.replace(/[:.,]? ?$/, '')),
    action,
    args: argumentsOf(command),
    given: { ...positionals, ...options },
    doing: nonEmpty(after.replace(/^[;,]? /, '')),
  }
}

export function note(text: string, { cure = false, joined, closing = '' }: Place = {}): Advice {
  return {
    when: undefined,
    action: undefined,
    args: [],
    given: {},
    doing: text,
    cure,
    text: sentence(text + closing, joined),
    joined,
  }
}

/** As it is typed: `lineclear decide orders/r1 done`. */
export function commandText(command: AdvisedCommand): string {
  return commandLine(argumentsOf(command).map(argumentText))
}

/** The usual next step, and what is to be known beside it, in words and as data. */
export interface NextStep {
  /** The complete command to type next. */
  readonly next: string
  /** Why, and what comes after it. undefined: there is nothing to say. */
  readonly afterwards?: string | undefined
  /** The next step first. */
  readonly advice: readonly Advice[]
}

/** @param beside one line. @param before as of `advise` */
export function nextStep(
  command: AdvisedCommand,
  beside: readonly Advice[] = [],
  before = '',
): NextStep {
  return {
    next: commandText(command),
    afterwards: adviceLines(beside)[0],
    advice: [advise(before, command, { cure: true }), ...beside],
  }
}

/** The lines that print it: the usual next step begins with `next: `. */
export function adviceLines(advice: readonly Advice[]): readonly string[] {
  const lines: string[] = []
  for (const { text, cure, joined } of advice) {
    const last = joined === undefined ? undefined : lines.pop()
    lines.push(last === undefined ? `${cure ? 'next: ' : ''}${text}` : `${last}${joined}${text}`)
  }
  return lines
}

function argumentsOf(command: AdvisedCommand): readonly AdvisedArgument[] {
  const { action, positionals = {}, options = {}, last = [] } = command
  const words = action.split('.')
  const values = Object.values(positionals)
  const named = [...Object.entries(options).flatMap(optionArguments), ...last]
  // Whatever follows `--` is positional, so the options have to come before it.
  return values.some((value) => argumentText(value).startsWith('-'))
    ? [...words, ...named, '--', ...values]
    : [...words, ...values, ...named]
}

function optionArguments([name, given]: readonly [
  string,
  AdvisedValue,
]): readonly AdvisedArgument[] {
  const option = optionName(name)
  if (given === true) return [option]
  const values = typeof given === 'string' || 'ask' in given ? [given] : given
  return values.flatMap((value) => optionArgument(option, value))
}

/** A value that begins with a dash needs `=`, or it would be read as an option. */
function optionArgument(option: string, value: AdvisedArgument): readonly AdvisedArgument[] {
  if (!argumentText(value).startsWith('-')) return [option, value]
  return [
    typeof value === 'string'
      ? `${option}=${value}`
      : { ...value, before: `${option}=${value.before}` },
  ]
}

export function argumentText(value: AdvisedArgument): string {
  return typeof value === 'string' ? value : value.before + value.word
}

function sentence(text: string, joined: Advice['joined']): string {
  return joined === '. ' ? text.charAt(0).toUpperCase() + text.slice(1) : text
}

function nonEmpty(text: string): string | undefined {
  return text === '' ? undefined : text
}
