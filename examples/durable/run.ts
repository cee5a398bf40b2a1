import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { tableDefinition } from 'lineclear/dynamodb'
import { mapQueue, startLocalCloud } from 'lineclear/local'
import { type Keep, stopAtEnd } from '../keep.ts'
import { FAULTS, untilQuiet } from '../quiet.ts'
import { rowsOf } from '../rows.ts'
import { serveExecutions } from './local/executions.ts'

const QUEUE = { visibilityTimeout: 18, deadLetter: { queue: 'dead', maxReceiveCount: 100 } }

export interface DurableResult {
  readonly customers: number
  readonly deliveries: number
  readonly executions: number
  /** Customers with exactly one account. */
  readonly opened: number
}

/** Each customer is announced three times, under faults. */
export async function run(
  customers: number,
  say: (line: string) => void,
  keep: Keep = stopAtEnd,
): Promise<DurableResult> {
  await using cloud = await startLocalCloud({
    queues: { customers: QUEUE, dead: {} },
    tables: { lineclear: tableDefinition(), accounts: { hash: 'customerId' } },
  })
  Object.assign(process.env, cloud.environment, { ONBOARD_FUNCTION: 'onboard:1' })
  await cloud.instrumentAll(import.meta.url)
  const { handler: onboard } = await import('./onboard.ts')
  await using executions = await serveExecutions(onboard)
  process.env['AWS_ENDPOINT_URL_LAMBDA'] = executions.endpoint
  const { handler } = await import('./handler.ts')
  say(`${customers} customers are announced three times each …`)
  for (let nth = 0; nth < 3 * customers; nth++) {
    const MessageBody = JSON.stringify({ customerId: `customer-${nth % customers}` })
    await cloud.sqs.send(
      new SendMessageCommand({ QueueUrl: cloud.queueUrl('customers'), MessageBody }),
    )
  }
  const mapping = mapQueue({
    cloud,
    queue: 'customers',
    handler,
    functionTimeout: '3s',
    faults: FAULTS,
  })
  await untilQuiet([mapping])
  await executions.ended()

  const accounts = await rowsOf(cloud, 'accounts')
  const result = {
    customers,
    deliveries: mapping.counts.deliveries,
    executions: executions.count(),
    opened: accounts.filter(({ opened }) => opened === 1).length,
  }
  say(
    `${result.deliveries} deliveries, ${result.executions} executions, ${result.opened} accounts.`,
  )
  await keep(cloud)
  return result
}
