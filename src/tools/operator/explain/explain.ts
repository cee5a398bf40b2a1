import { isoTime } from '../../../library/base/time.ts'
import { isObject } from '../../../library/base/kindOf.ts'
import { briefLines, describeFacts, titleOf } from './describeFacts.ts'
import type { Facts } from './facts.ts'
import { factsOf, type FactsOptions } from './factsOf.ts'
import type { StoredRequest } from './readRequest.ts'
import type { TimelineEvent } from './timelineEvent.ts'
import type { Waterfall } from './waterfall.ts'

export interface Explanation {
  readonly title: string
  readonly lines: readonly string[]
  /** `lines` without the error, the advice and the log, which the facts have. */
  readonly state: readonly string[]
  readonly facts: Facts
}

interface ExplainOptions extends Omit<FactsOptions, 'now' | 'siblings'> {
  /** On this machine, where no Logs Insights has its log. */
  readonly isLocal?: boolean
}

/** Each item: its state, what the next delivery does, which commands may help. */
export function explainRequest(
  { items: siblings }: StoredRequest,
  now: number,
  options: ExplainOptions = {},
): readonly Explanation[] {
  return siblings.map((item) => {
    const facts = factsOf(item, { ...options, now, siblings })
    const [lines, state] = [describeFacts(facts, now, options), briefLines(facts, now)]
    return { title: titleOf(facts), lines, state, facts }
  })
}

/** Fields of facts, events and bars that hold times: epoch milliseconds here, ISO 8601 in JSON. */
const TIMES = [
  'acceptedAt',
  'at',
  'beganAt',
  'claimedAt',
  'diedAt',
  'due',
  'dueAt',
  'endedAt',
  'from',
  'giveUpAt',
  'keptUntil',
  'leaseUntil',
  'notBefore',
  'queuedAt',
  'rememberedUntil',
  'sentAt',
  'since',
  'to',
  'until',
] as const

type TimeField = (typeof TIMES)[number]

/** The shape of facts, events and bars in JSON: what reads `explain --json` is built against it. */
export type InJson<Value> = Value extends readonly (infer Each)[]
  ? readonly InJson<Each>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: InJsonField<Name, Value[Name]> }
    : Value

type InJsonField<Name, Value> = Name extends TimeField
  ? Value extends number
    ? string
    : InJson<Value>
  : InJson<Value>

const NAMES: ReadonlySet<string> = new Set(TIMES)

/** Times become ISO 8601; all else stays. */
export function inJson<Value>(value: Value): InJson<Value> {
  return converted(value) as InJson<Value>
}

function converted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(converted)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      NAMES.has(name) && typeof each === 'number' ? isoTime(each) : converted(each),
    ]),
  )
}

/** What `lineclear explain --json` prints, beside the pauses and how much of the log was read. */
export interface ExplainJson {
  readonly explained: readonly InJson<Explanation>[]
  readonly timeline: readonly InJson<TimelineEvent>[]
  readonly waterfall: InJson<Waterfall>
}
