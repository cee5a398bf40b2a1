import type { StandardSchemaV1 } from '@standard-schema/spec'
import { isObject } from '../../base/kindOf.ts'
import type { EndReport } from '../../protocol/claim/stage/endReport.ts'

/** Anybody who may send to the queue can send something else. */
export const endReportSchema: StandardSchemaV1<unknown, EndReport> = {
  '~standard': {
    version: 1,
    vendor: 'lineclear',
    validate: (value) =>
      isEndReport(value) ? { value } : { issues: [{ message: 'expected the end of a run' }] },
  },
}

const ENDS: readonly unknown[] = ['dead', 'superseded', 'reset', 'dropped']

function isEndReport(value: unknown): value is EndReport {
  if (!isObject(value)) return false
  const { flow, key, uniqueRequestId, epoch, as, died, marks, by } = value
  const texts = [flow, key, uniqueRequestId, by ?? '']
  return (
    texts.every((text) => typeof text === 'string') &&
    typeof epoch === 'number' &&
    ENDS.includes(as) &&
    Array.isArray(died) &&
    (marks === undefined || (Array.isArray(marks) && marks.every((one) => typeof one === 'string')))
  )
}
