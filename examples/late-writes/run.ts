import { setTimeout as sleep } from 'node:timers/promises'
import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { tableDefinition } from 'lineclear/dynamodb'
import { mapQueue, startLocalCloud } from 'lineclear/local'
import { type Keep, stopAtEnd } from '../keep.ts'
import { untilQuiet } from '../quiet.ts'
import { openBucket } from './bucket.ts'

export interface LateResult {
  readonly accounts: number
  readonly written: number
  /** Writes of attempts that had been overtaken, which the bucket refused. */
  readonly refused: number
  /** Statements that an overtaken attempt has left. */
  readonly wrong: number
}

/** Every first attempt is overtaken between its read and its write, and its code runs on, as on Lambda Managed Instances. */
export async function run(
  accounts: number,
  say: (line: string) => void,
  keep: Keep = stopAtEnd,
): Promise<LateResult> {
  await using bucket = await openBucket()
  await using cloud = await startLocalCloud({
    queues: {
      statements: { visibilityTimeout: 18, deadLetter: { queue: 'dead', maxReceiveCount: 100 } },
      dead: {},
    },
    tables: { lineclear: tableDefinition() },
  })
  Object.assign(process.env, cloud.environment, { BUCKET_URL: bucket.url })
  const { handler, demonstration } = await import('./handler.ts')
  demonstration.meanwhile = async (object, attempt) => {
    if (attempt > 1) return
    const { pathname } = new URL(object)
    while (!bucket.objects.has(pathname)) await sleep(50)
  }
  say(`${accounts} statements, each begun by an attempt that is too slow …`)
  const QueueUrl = cloud.queueUrl('statements')
  for (let number = 1; number <= accounts; number++) {
    const month = { account: `account-${number}`, month: '2026-11', cents: number * 100 }
    await cloud.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(month) }))
  }
  const mapping = mapQueue({ cloud, queue: 'statements', handler, functionTimeout: '3s' })
  await untilQuiet([mapping])
  // The attempts that were given up run on.
  for (let tries = 0; bucket.refused < accounts && tries < 100; tries++) await sleep(50)

  const texts = [...bucket.objects.values()].map(({ body }) => body)
  const result = {
    accounts,
    written: texts.length,
    refused: bucket.refused,
    wrong: texts.filter((text) => text.includes('attempt 1')).length,
  }
  say(
    `${result.written} statements written; the bucket refused ${result.refused} late writes; ${result.wrong} wrong.`,
  )
  await keep(cloud)
  return result
}
