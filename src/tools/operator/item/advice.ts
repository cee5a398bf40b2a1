/** A change that an operator can make, or a command that shows something, by its words: `dlq.redrive`, `explain`. */
export type AdvisedAction =
  | 'decide'
  | 'dlq.discard'
  | 'dlq.edit'
  | 'dlq.groups'
  | 'dlq.peek'
  | 'dlq.redrive'
  | 'dlq.restore'
  | 'doctor'
  | 'explain'
  | 'ls'
  | 'pause'
  | 'resume'
  | 'status'
  | 'sweep'

/** What only the operator knows. The command line prints `before` and `word`, such as `charge=JSON`. */
interface Placeholder {
  readonly ask: 'answer' | 'attribute' | 'change' | 'id' | 'plan' | 'queue'
  /** Placeholder where the command is printed, such as `JSON`. */
  readonly word: string
  /** What the argument begins with, such as `charge=`; '' where it is all the operator's. */
  readonly before: string
}

export type AdvisedArgument = string | Placeholder

/**
 * One thing that an operator may do about an item, or that he should know. Advice on an item is in the order in which it is
 * best read.
 * @example
 * {
 *   when: 'if nothing was done',
 *   action: 'decide',
 *   args: ['decide', 'payments/checkout-71', 'free'],
 *   given: { id: 'payments/checkout-71', decision: 'free' },
 *   doing: 'the next call runs the whole section again',
 *   cure: false,
 *   text: 'if nothing was done: lineclear decide payments/checkout-71 free; the next call runs the whole section again',
 *   joined: undefined,
 * }
 */
export interface Advice {
  /** The condition under which it is right. undefined: always. */
  readonly when: string | undefined
  /** undefined: there is nothing to type, and `doing` says it all. */
  readonly action: AdvisedAction | undefined
  /** What to type after `lineclear`. Empty: nothing. */
  readonly args: readonly AdvisedArgument[]
  /** The same by name: positional arguments, and options in camel case. Without `--apply` and `--force`. */
  readonly given: Readonly<Record<string, AdvisedValue>>
  /** What it does or means, or what comes after it. */
  readonly doing: string | undefined
  /** The usual next step: at most one of each item. */
  readonly cure: boolean
  /** The whole sentence, with the command. */
  readonly text: string
  /** It continues the line of the one before, after these characters. undefined: it begins a line. */
  readonly joined: '; ' | '. ' | undefined
}

/** true: an option without a value. */
export type AdvisedValue = AdvisedArgument | true | readonly AdvisedArgument[]

/** Reasons of dead letters that complete once their cause is repaired. Others are refused again, or need a look before. */
const CURED: ReadonlySet<string> = new Set([
  'exhausted',
  'moved',
  'none',
  'abandoned',
  'too old',
  'busy',
])

export function isCuredByRedrive(reason: string): boolean {
  return CURED.has(reason)
}
