import type { Deployment, UnreadResource } from '../deployment.ts'
import type { DeliveryRule, DoctorFinding, HandlerSettings } from '../rule.ts'
import { ALARM_RULES, DELAY_RULES } from './alarms.ts'
import { FUNCTION_RULES, INVOCATION_RULES } from './functions.ts'
import { MAPPING_RULES } from './mappings.ts'
import { PAYLOAD_RULES } from './payloads.ts'
import { PERMISSION_RULES } from './permissions.ts'
import { CIRCUIT_RULES, QUEUE_RULES } from './queues.ts'
import { EVENT_RULES, TOPIC_RULES } from './senders.ts'
import { TABLE_RULES } from './table.ts'
import { unknownSettings } from './unknownSettings.ts'

const RULES: readonly DeliveryRule[] = [
  ...QUEUE_RULES,
  ...MAPPING_RULES,
  ...FUNCTION_RULES,
  ...TOPIC_RULES,
  ...TABLE_RULES,
  ...PERMISSION_RULES,
  ...ALARM_RULES,
  ...DELAY_RULES,
  ...CIRCUIT_RULES,
  ...EVENT_RULES,
  ...INVOCATION_RULES,
  ...PAYLOAD_RULES,
]

/**
 * Checks everything that is deployed against every delivery rule; errors come first. Makes no calls. What no rule has looked at is
 * listed at the end, as the rule `unread`.
 * @param expected options of the handlers, by default `none`
 */
export function diagnose(
  deployment: Deployment,
  expected?: Partial<HandlerSettings>,
): DoctorFinding[] {
  const settings: HandlerSettings = { delays: 'none', circuitBreaker: 'none', ...expected }
  const found = RULES.flatMap((each) => apply(each, deployment, settings))
  const unread = [...deployment.unread, ...unknownSettings(deployment)].map((each) =>
    unchecked('unread', each),
  )
  return bySeverity([...found, ...unread])
}

export function bySeverity(findings: readonly DoctorFinding[]): DoctorFinding[] {
  return findings.toSorted((a, b) => ORDER[a.severity] - ORDER[b.severity])
}

const ORDER = { error: 0, warning: 1, question: 2, note: 3, unchecked: 4 }

function apply(
  { id, needs, source, check }: DeliveryRule,
  deployment: Deployment,
  expected: HandlerSettings,
): readonly DoctorFinding[] {
  const unseen = deployment.unchecked.find(({ part }) => needs.includes(part))
  if (unseen === undefined) return check(deployment, expected)
  const { part, why, cure = 'Give --template' } = unseen
  return [unchecked(id, { subject: part, why, cure }, source)]
}

function unchecked(
  rule: string,
  { subject, why, cure }: UnreadResource,
  source = '',
): DoctorFinding {
  return {
    rule,
    severity: 'unchecked',
    subject,
    problem: `Not checked: ${why}.`,
    consequence: 'It may be wrong, and no alarm would show it.',
    cure: `${cure}.`,
    source,
  }
}
