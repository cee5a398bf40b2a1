import { App, Stack } from 'aws-cdk-lib'
import { LineclearConsumer, LineclearSweeper, LineclearTable } from 'lineclear/cdk'

const stack = new Stack(new App(), 'Orders')
const table = new LineclearTable(stack, 'Table', { alarmEmail: 'oncall@example.com' })
new LineclearSweeper(stack, 'Sweeper', { table })
new LineclearConsumer(stack, 'orders', { table, entry: 'examples/cdk/orders.ts' })
