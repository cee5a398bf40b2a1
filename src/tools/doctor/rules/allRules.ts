import type { DeliveryRule } from '../rule.ts'
import { ALARM_RULES } from './alarms.ts'
import { BRAKE_RULES } from './brakes.ts'
import { COMPUTE_RULES } from './computeTypes.ts'
import { DEAD_LETTER_RULES } from './deadLetters.ts'
import { DELAY_RULES } from './delays.ts'
import { EVENT_RULES } from './events.ts'
import { INVOCATION_RULES } from './invocations.ts'
import { MAPPING_RULES, SAM_RULES } from './mappings.ts'
import { PAYLOAD_RULES } from './payloads.ts'
import { PERMISSION_RULES } from './permissions.ts'
import { QUEUE_RULES } from './queues.ts'
import { REGION_RULES } from './regions.ts'
import { RUNTIME_RULES } from './mappedQueues.ts'
import { TABLE_RULES } from './table.ts'
import { TOPIC_RULES } from './topics.ts'

export const RULES: readonly DeliveryRule[] = [
  ...SAM_RULES,
  ...QUEUE_RULES,
  ...DEAD_LETTER_RULES,
  ...MAPPING_RULES,
  ...RUNTIME_RULES,
  ...COMPUTE_RULES,
  ...REGION_RULES,
  ...TOPIC_RULES,
  ...TABLE_RULES,
  ...PERMISSION_RULES,
  ...ALARM_RULES,
  ...DELAY_RULES,
  ...BRAKE_RULES,
  ...EVENT_RULES,
  ...INVOCATION_RULES,
  ...PAYLOAD_RULES,
]
