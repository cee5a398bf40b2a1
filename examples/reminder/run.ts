import { UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { jsonLogger, sweepHandler } from 'lineclear'
import { dynamoDbStore, tableDefinition } from 'lineclear/dynamodb'
import { mapQueue, startLocalCloud } from 'lineclear/local'
import { fakeClock } from 'lineclear/testing'
import { type Keep, stopAtEnd } from '../keep.ts'
import { FAULTS, untilQuiet } from '../quiet.ts'
import { rowsOf } from '../rows.ts'

const QUEUE = { visibilityTimeout: 18, deadLetter: { queue: 'dead', maxReceiveCount: 100 } }

export interface ReminderResult {
  readonly invoices: number
  /** Messages on the queue of the reminders before the day was over. */
  readonly early: number
  readonly reminded: number
  /** Invoices that were paid and reminded of, or open and not reminded of exactly once. */
  readonly wrong: number
}

const DAY_MS = 86_400_000

/** Every third invoice is paid within the day. The sweeper gets a clock that is a day ahead, so the example need not wait. */
export async function run(
  invoices: number,
  say: (line: string) => void,
  keep: Keep = stopAtEnd,
): Promise<ReminderResult> {
  await using cloud = await startLocalCloud({
    queues: { invoiced: QUEUE, remind: QUEUE, dead: {} },
    tables: { lineclear: tableDefinition(), invoices: { hash: 'orderId' } },
  })
  Object.assign(process.env, cloud.environment, { REMIND_QUEUE: cloud.queueUrl('remind') })
  const { invoiced, remind } = await import('./handler.ts')
  const store = dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb })
  const sweeper = { store, clients: { sqs: cloud.sqs }, logger: jsonLogger() }
  const shared = { cloud, functionTimeout: '3s', faults: FAULTS } as const

  const invoicing = mapQueue({ ...shared, queue: 'invoiced', handler: invoiced })
  for (let number = 1; number <= invoices; number++) {
    const MessageBody = JSON.stringify({ orderId: `order-${number}` })
    await cloud.sqs.send(
      new SendMessageCommand({ QueueUrl: cloud.queueUrl('invoiced'), MessageBody }),
    )
  }
  await untilQuiet([invoicing])
  await sweepHandler(sweeper)()
  const { ready, delayed } = cloud.inspectQueue('remind')
  const early = ready.length + delayed.length
  say(`${invoices} invoices, ${early} messages on the queue of the reminders.`)

  for (let number = 1; number <= invoices; number += 3) await pay(`order-${number}`)
  say('Every third is paid, and a day passes …')
  const later = sweepHandler({ ...sweeper, clock: fakeClock(Date.now() + DAY_MS) })
  // Two sweepers at once: each may send, and each reminder is still made once.
  const [{ delayed: one }, { delayed: other }] = await Promise.all([later(), later()])
  say(`The sweepers have sent ${one.sent + other.sent} messages.`)
  const reminding = mapQueue({ ...shared, queue: 'remind', handler: remind })
  await untilQuiet([invoicing, reminding])

  const rows = await rowsOf(cloud, 'invoices')
  const isWrong = ({ state, reminders }: (typeof rows)[number]): boolean =>
    reminders !== (state === 'open' ? 1 : 0)
  const reminded = rows.filter(({ reminders }) => reminders === 1).length
  const wrong = rows.filter(isWrong).length
  say(`${reminded} open invoices were reminded of once; ${wrong} are wrong.`)
  await keep(cloud)
  return { invoices: rows.length, early, reminded, wrong }

  async function pay(orderId: string): Promise<void> {
    const update = new UpdateItemCommand({
      TableName: 'invoices',
      Key: { orderId: { S: orderId } },
      UpdateExpression: 'SET #state = :paid',
      ExpressionAttributeNames: { '#state': 'state' },
      ExpressionAttributeValues: { ':paid': { S: 'paid' } },
    })
    await cloud.dynamodb.send(update)
  }
}
