/** What `POST /api/plan` and `/api/apply` have answered, as a dialog shows it. */
export interface ShownPlan {
  /** Its name; undefined: there is nothing to apply. */
  readonly name: string | undefined
  /** @example 'dlq redrive' */
  readonly action: string
  readonly outcome: string
  /** What the outcome means, as the command says it. */
  readonly said: string
  /** A command that comes next. */
  readonly next: string | undefined
  readonly id: string | undefined
  /** The state now and afterwards, a line each. */
  readonly now: readonly string[]
  readonly after: readonly string[]
  /** All else that a person should know, a line each. */
  readonly lines: readonly string[]
  /** Until when an attempt may run on the item: only a forced change takes it over. ISO 8601. */
  readonly liveLease: string | undefined
}

export function shownPlan(answer: Readonly<Record<string, unknown>>): ShownPlan {
  const { action, command, plan, outcome, said, next, id, now, after, lines, liveLease } = answer
  return {
    name: text(plan),
    action: text(action) ?? text(command) ?? '',
    outcome: answer['running'] === true ? 'running' : (text(outcome) ?? ''),
    said: text(said) ?? '',
    next: text(next),
    id: text(id),
    now: texts(now),
    after: texts(after),
    lines: texts(lines),
    liveLease: text(liveLease),
  }
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.flatMap((each: unknown) => text(each) ?? []) : []
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
