import type { AuditEntry } from '../../../../../sweeper/audit/auditRow.ts'
import type { Tone } from '../../parts/Status.tsx'

const OF_MANY: ReadonlySet<string> = new Set([
  'dlq redrive',
  'dlq discard',
  'dlq archive',
  'dlq restore',
])

/** Whether the plan of an entry is kept under its name, so that its progress can be shown. */
export function isOfMany({ action, id }: AuditEntry): boolean {
  return OF_MANY.has(action) || (action.startsWith('tokens ') && id.startsWith('group '))
}

const GOOD: ReadonlySet<string> = new Set(['applied', 'done', 'taken', 'nothing', 'asked to pause'])
const BAD: ReadonlySet<string> = new Set(['refused', 'failed', 'stopped', 'begun'])

/** `begun`: the command was killed, and what it has done is not recorded. */
export function toneOf(result: string): Tone {
  if (GOOD.has(result)) return 'good'
  return BAD.has(result) ? 'bad' : 'warn'
}
