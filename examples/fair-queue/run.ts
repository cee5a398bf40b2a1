import { ReceiveMessageCommand } from '@aws-sdk/client-sqs'
import { producer } from 'lineclear'
import { tableDefinition } from 'lineclear/dynamodb'
import { type LocalCloud, mapQueue, startLocalCloud } from 'lineclear/local'
import { type Keep, stopAtEnd } from '../keep.ts'
import { FAULTS, untilQuiet } from '../quiet.ts'

const QUEUE = { visibilityTimeout: 18, deadLetter: { queue: 'dead', maxReceiveCount: 100 } }

export interface FairQueueResult {
  readonly imports: number
  /** Messages behind the consumer, by shop. */
  readonly sent: Readonly<Record<string, number>>
  /** Dead letters, by shop. */
  readonly dead: Readonly<Record<string, number>>
}

/** One shop sends ten times as much as the other; every tenth of its imports is wrong. */
export async function run(
  imports: number,
  say: (line: string) => void,
  keep: Keep = stopAtEnd,
): Promise<FairQueueResult> {
  await using cloud = await startLocalCloud({
    queues: { imports: QUEUE, index: {}, dead: {} },
    tables: { lineclear: tableDefinition() },
  })
  Object.assign(process.env, cloud.environment, { INDEX_QUEUE: cloud.queueUrl('index') })
  await cloud.instrumentAll(import.meta.url)
  const { Import, imports: handler } = await import('./handler.ts')
  const sender = producer({
    clients: { sqs: cloud.sqs },
    schema: Import,
    id: ({ importId }) => importId,
  })
  const made = (shop: string, count: number) =>
    Array.from({ length: count }, (_, number) => ({
      payload: {
        importId: `${shop}-${number}`,
        rows: shop === 'large' && number % 10 === 0 ? -1 : 5,
      },
      groupId: shop,
    }))
  const messages = [...made('large', imports), ...made('small', imports / 10)]
  say(`${messages.length} imports of two shops are sent …`)
  await sender.sendMany(cloud.queueUrl('imports'), messages)
  const mapping = mapQueue({
    cloud,
    queue: 'imports',
    handler,
    functionTimeout: '3s',
    // The local engine forgets the group of a message whose answer is lost.
    faults: { ...FAULTS, loseAnswer: 0 },
  })
  await untilQuiet([mapping])

  const result = {
    imports: messages.length,
    sent: await byShop(cloud, 'index'),
    dead: await byShop(cloud, 'dead'),
  }
  say(`Sent on, by shop: ${JSON.stringify(result.sent)}; dead: ${JSON.stringify(result.dead)}.`)
  await keep(cloud)
  return result
}

/** One message may have been sent twice: each id counts once. */
async function byShop(cloud: LocalCloud, queue: string): Promise<Readonly<Record<string, number>>> {
  const ids = new Map<string, Set<string>>()
  const receive = new ReceiveMessageCommand({
    QueueUrl: cloud.queueUrl(queue),
    MaxNumberOfMessages: 10,
    MessageAttributeNames: ['uniquerequestid'],
    MessageSystemAttributeNames: ['MessageGroupId'],
  })
  for (;;) {
    const { Messages = [] } = await cloud.sqs.send(receive)
    if (Messages.length === 0) break
    for (const { Attributes, MessageAttributes } of Messages) {
      const shop = Attributes?.MessageGroupId ?? 'no shop'
      const id = MessageAttributes?.['uniquerequestid']?.StringValue ?? ''
      ids.set(shop, (ids.get(shop) ?? new Set()).add(id))
    }
  }
  return Object.fromEntries([...ids].map(([shop, { size }]) => [shop, size]))
}
