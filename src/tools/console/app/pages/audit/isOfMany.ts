import type { AuditEntry } from '../../../../../sweeper/audit/auditRow.ts'

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
