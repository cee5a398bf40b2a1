import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { PublishCommand } from '@aws-sdk/client-sns'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LocalCloud } from 'lineclear/local'
import type { Call } from './calls.ts'
import { SIDES, type SideName } from './demoCloud.ts'

const MOST_AT_ONCE = 20

/** Sends every call to both sides, each at its time. */
export async function sendCalls(
  cloud: LocalCloud,
  calls: readonly Call[],
  sent: () => void,
  signal: AbortSignal,
): Promise<void> {
  const start = Date.now()
  const waiting = calls.values()
  const lane = async (): Promise<void> => {
    for (const call of waiting) {
      await sleep(Math.max(start + call.at - Date.now(), 0), undefined, { signal })
      await Promise.all(SIDES.map((side) => send(cloud, side, call)))
      sent()
    }
  }
  await Promise.all(Array.from({ length: MOST_AT_ONCE }, lane))
}

async function send(cloud: LocalCloud, side: SideName, { route, body }: Call): Promise<void> {
  if (route === 'sns') {
    const TopicArn = cloud.topicArn(`${side}-callbacks`)
    await cloud.sns.send(new PublishCommand({ TopicArn, Message: body }))
  } else {
    const QueueUrl = cloud.queueUrl(`${side}-callbacks`)
    await cloud.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: body }))
  }
}
