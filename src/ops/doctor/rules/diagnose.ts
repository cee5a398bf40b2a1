import type { Deployment, UncheckedPart } from '../deployment.ts'
import type { HandlerSettings, DeliveryRule } from '../rule.ts'
import { RULES } from './allRules.ts'

export interface DoctorFinding {
  readonly rule: string
  /** `unchecked`: what the rule examines could not be read. */
  readonly severity: 'error' | 'warning' | 'unchecked'
  /** Logical name or ARN of the resource. */
  readonly subject: string
  readonly problem: string
  readonly consequence: string
  readonly cure: string
  /** URL of the AWS page that states the rule. */
  readonly source: string
}

/**
 * Checks everything that is deployed against every delivery rule; errors come first. Makes no calls.
 * @param expected options of the handlers: `maxAttempts`, default 6, `form` of the copies, default `transparent`, and `delays`,
 * default `none`.
 */
export function diagnose(
  deployment: Deployment,
  expected?: Partial<HandlerSettings>,
): DoctorFinding[] {
  const settings: HandlerSettings = {
    maxAttempts: 6,
    form: 'transparent',
    delays: 'none',
    ...expected,
  }
  return RULES.flatMap((rule) => apply(rule, deployment, settings)).toSorted(
    (a, b) => ORDER[a.severity] - ORDER[b.severity],
  )
}

const ORDER = { error: 0, warning: 1, unchecked: 2 }

function apply(
  rule: DeliveryRule,
  deployment: Deployment,
  expected: HandlerSettings,
): DoctorFinding[] {
  const unseen = deployment.unchecked.find(({ part }) => rule.needs.includes(part))
  if (unseen !== undefined) return [unchecked(rule, unseen)]
  const { id, severity, source } = rule
  return rule
    .check(deployment, expected)
    .map((problem) => ({ rule: id, severity, ...problem, source }))
}

function unchecked(
  { id, source }: DeliveryRule,
  { part, why, cure }: UncheckedPart,
): DoctorFinding {
  return {
    rule: id,
    severity: 'unchecked',
    subject: part,
    problem: `Not checked: ${why}.`,
    consequence: 'It may be wrong, and no alarm would show it.',
    cure: `${cure ?? 'Give --template'}.`,
    source,
  }
}
