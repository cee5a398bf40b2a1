import type { Stack } from 'aws-cdk-lib'
import { type ILineclearTable, LineclearFlow } from 'lineclear/cdk'

export function addDelivery(stack: Stack, table: ILineclearTable): void {
  new LineclearFlow(stack, 'delivery', {
    table,
    entry: 'examples/cdk/delivery.ts',
    stages: { pack: {}, ship: {} },
    answers: { booked: {} },
  })
}
