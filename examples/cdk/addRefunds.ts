import type { Stack } from 'aws-cdk-lib'
import { LineclearCall, type LineclearTable } from 'lineclear/cdk'

export function addRefunds(stack: Stack, table: LineclearTable): void {
  new LineclearCall(stack, 'refunds', { table, entry: 'examples/cdk/refunds.ts' })
}
