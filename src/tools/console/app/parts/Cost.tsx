import type { Cost as Spent } from '../answers.ts'
import { counted } from './counted.ts'

/** What answers have cost: requests to DynamoDB, their capacity units, requests to SQS. */
export function Cost({ of: { queries, units, receives } }: { readonly of: Spent }) {
  const parts = [
    counted(queries, 'query', 'queries'),
    ...(units > 0 ? [counted(Math.round(units * 10) / 10, 'unit')] : []),
    ...(receives > 0 ? [`${receives} to SQS`] : []),
  ]
  return (
    <span
      class="cost"
      title={`${queries} requests to DynamoDB, ${units} capacity units, ${receives} requests to SQS`}
    >
      {parts.join(' · ')}
    </span>
  )
}
