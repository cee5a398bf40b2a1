import { Annotations, Stack } from 'aws-cdk-lib'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import type { Construct } from 'constructs'
import type { ILineclearTable } from './tableGrants.ts'

interface Sweeper extends Construct {
  grantSendTo(queue: IQueue): void
}

interface Swept {
  readonly sweepers: Sweeper[]
  readonly flows: { readonly flow: Construct; readonly queues: readonly IQueue[] }[]
}

/** By table: sweeper and flow may be made in any order. */
const SWEPT = new WeakMap<ILineclearTable, Swept>()

/** Lets every sweeper of the table send to the queues of a flow: timeouts whose message was lost, undos, and delayed messages. */
export function sweepFlow(
  table: ILineclearTable,
  flow: Construct,
  queues: readonly IQueue[],
): void {
  const { sweepers, flows } = sweptBy(table)
  flows.push({ flow, queues })
  for (const sweeper of sweepers) admit(sweeper, flow, queues)
}

export function sweepFlowsOf(table: ILineclearTable, sweeper: Sweeper): void {
  const { sweepers, flows } = sweptBy(table)
  sweepers.push(sweeper)
  for (const { flow, queues } of flows) admit(sweeper, flow, queues)
}

function sweptBy(table: ILineclearTable): Swept {
  const found = SWEPT.get(table) ?? { sweepers: [], flows: [] }
  SWEPT.set(table, found)
  return found
}

/** A grant across stacks would make the stack of the sweeper depend on that of the flow, which depends on the table's. */
function admit(sweeper: Sweeper, flow: Construct, queues: readonly IQueue[]): void {
  if (Stack.of(sweeper) === Stack.of(flow)) {
    for (const queue of queues) sweeper.grantSendTo(queue)
    return
  }
  Annotations.of(flow).addWarningV2(
    'lineclear:flow-of-another-stack',
    `The sweeper ${sweeper.node.path} stands in another stack, and may not send to its queues: lost timeouts and undos would wait. ` +
      'Put both into one stack, or name queueName, and give them to sendsTo of the sweeper by Queue.fromQueueArn.',
  )
}
