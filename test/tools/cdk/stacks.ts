import { App, Stack } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { Table } from 'aws-cdk-lib/aws-dynamodb'
import { type IVpc, Vpc } from 'aws-cdk-lib/aws-ec2'
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda'
import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { Queue } from 'aws-cdk-lib/aws-sqs'
import {
  LineclearCall,
  LineclearConsumer,
  LineclearFlow,
  LineclearSweeper,
  LineclearTable,
  type ILineclearTable,
} from 'lineclear/cdk'
import type { Template as Deployed } from '../../documents/deploy/packaged.ts'

/** Takes the place of bundling, which takes seconds. */
export const UNBUNDLED = { 'aws:cdk:bundling-stacks': [] }

export const ENTRY = 'examples/cdk/orders.ts'

export function newStack(id = 'Orders'): Stack {
  return new Stack(new App({ context: UNBUNDLED }), id)
}

/** Without the validation that CDK itself adds: it takes seconds, and the proof has it. */
export function templateOf(stack: Stack): Deployed {
  process.env['CDK_VALIDATION'] = 'false'
  return Template.fromStack(stack).toJSON() as Deployed
}

export function functionIn(stack: Stack, id = 'Own', more: object = {}): LambdaFunction {
  return new LambdaFunction(stack, id, {
    runtime: Runtime.NODEJS_24_X,
    handler: 'index.handler',
    code: Code.fromInline('exports.handler = () => {}'),
    ...more,
  })
}

export function vpcIn(stack: Stack): IVpc {
  return Vpc.fromVpcAttributes(stack, 'Vpc', {
    vpcId: 'vpc-1',
    availabilityZones: ['eu-central-1a'],
    privateSubnetIds: ['subnet-1'],
  })
}

/** A stack with one of each kind of consumer, and both orders of flow and sweeper. */
export function everything(): { readonly stack: Stack; readonly table: ILineclearTable } {
  const stack = newStack('Everything')
  const table = new LineclearTable(stack, 'Table', { alarmEmail: 'oncall@example.com' })
  const stock = Table.fromTableName(stack, 'Stock', 'stock')
  const placed = new Topic(stack, 'Placed')
  const bare = new Topic(stack, 'Bare')
  const inOrder = new Topic(stack, 'InOrder', { fifo: true })
  const checkout = new LineclearFlow(stack, 'checkout', {
    table,
    entry: ENTRY,
    dependencies: ['payments'],
    stages: { validate: {}, charge: { dependencies: ['payments', 'ledger'] } },
    answers: { settled: {} },
  })
  const archive = new Queue(stack, 'Archive')
  new LineclearSweeper(stack, 'Sweeper', { table, sendsTo: [archive] })
  new LineclearFlow(stack, 'trip', { table, entry: ENTRY, stages: { findHotel: {} } })
  const orders = new LineclearConsumer(stack, 'orders', {
    table,
    entry: ENTRY,
    topics: [placed, { topic: bare, rawMessageDelivery: true }, inOrder],
    writesTo: [stock],
    sendsTo: [archive, placed],
  })
  new LineclearConsumer(stack, 'inOrder', {
    table,
    entry: ENTRY,
    fifo: true,
    topics: [inOrder],
    sendsTo: [orders],
  })
  new LineclearCall(stack, 'refunds', { table, entry: ENTRY, keyNames: ['refunds', 'payouts'] })
  new LineclearConsumer(stack, 'given', { table, function: functionIn(stack) })
  const onCall = new Role(stack, 'OnCall', { assumedBy: new AccountRootPrincipal() })
  for (const each of [table, checkout, orders]) each.grantOperator(onCall)
  return { stack, table }
}

/** A consumer of a topic, the table and the sweeper. */
export function consumerOfTopic(): Stack {
  const stack = newStack()
  const table = new LineclearTable(stack, 'Table', { alarmEmail: 'oncall@example.com' })
  new LineclearSweeper(stack, 'Sweeper', { table })
  const topics = [new Topic(stack, 'Placed')]
  new LineclearConsumer(stack, 'orders', { table, entry: ENTRY, topics })
  return stack
}
