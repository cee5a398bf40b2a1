import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { mapQueue, type QueueHandler } from 'lineclear/local'
import { quietLogger } from '../../../testing/local/helpers.ts'
import { type Stage, until } from '../stage.ts'

/** A function of Lambda Managed Instances behind its queue. The first attempt reaches its timeout, and its code runs on. */
export async function onManagedInstances(
  { name, cloud, goOn }: Stage,
  handler: QueueHandler,
): Promise<void> {
  const send = new SendMessageCommand({
    QueueUrl: cloud.queueUrl(name),
    MessageBody: JSON.stringify({ id: name }),
  })
  await cloud.sqs.send(send)
  const managed = { managed: true, functionTimeout: '1s', logger: quietLogger() } as const
  const mapping = mapQueue({ cloud, queue: name, handler, ...managed })
  await until(async () => {
    const { ready, delayed, inFlight } = await cloud.queueDepth(name)
    return mapping.counts.deleted > 0 && ready + delayed + inFlight === 0
  })
  goOn()
  await mapping.drained()
  await cloud.sqs.send(send)
  await mapping.drained()
  await mapping.stop()
}
