import { Duration, type Stack } from 'aws-cdk-lib'
import { Table } from 'aws-cdk-lib/aws-dynamodb'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { LineclearConsumer, LineclearFlow, LineclearSweeper, LineclearTable } from 'lineclear/cdk'

/** A flow over two Lambdas, a consumer of a topic, and the sweeper, with some of what can be set. */
export function shop(stack: Stack): void {
  const table = new LineclearTable(stack, 'Table', { alarmEmail: 'oncall@example.com' })
  const sales = Table.fromTableName(stack, 'Sales', 'sales')

  const checkout = new LineclearFlow(stack, 'checkout', {
    table,
    entry: 'examples/chain-lambdas/handler.ts',
    writesTo: [sales],
    stages: {
      validate: {},
      charge: { dependencies: ['payments'], timeout: Duration.seconds(60) },
    },
  })

  const invoices = new LineclearConsumer(stack, 'invoices', {
    table,
    name: 'orders',
    entry: 'examples/cdk/orders.ts',
    topics: [new Topic(stack, 'Orders')],
    sendsTo: [checkout],
    maxConcurrency: 5,
    maxMessageAge: Duration.minutes(5),
    functionProps: { memorySize: 1024 },
  })

  new LineclearSweeper(stack, 'Sweeper', { table, sendsTo: [invoices] })
}
