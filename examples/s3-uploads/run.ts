import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { tableDefinition } from 'lineclear/dynamodb'
import { mapQueue, startLocalCloud } from 'lineclear/local'
import { s3Notification } from 'lineclear/testing'
import { type Keep, stopAtEnd } from '../keep.ts'
import { FAULTS, untilQuiet } from '../quiet.ts'
import { rowsOf } from '../rows.ts'

const QUEUE = { visibilityTimeout: 18, deadLetter: { queue: 'dead', maxReceiveCount: 100 } }

export interface UploadsResult {
  readonly files: number
  readonly notifications: number
  readonly deliveries: number
  /** Files whose row does not show what happened last. */
  readonly wrong: number
}

const BUCKET = 'my-uploads'
const UPLOADS = 4

/** Each file is uploaded four times; every second one is deleted in the end. The last notification is queued first. */
export async function run(
  files: number,
  say: (line: string) => void,
  keep: Keep = stopAtEnd,
): Promise<UploadsResult> {
  await using cloud = await startLocalCloud({
    queues: { uploads: QUEUE, dead: {} },
    tables: { lineclear: tableDefinition(), files: { hash: 'file' } },
  })
  Object.assign(process.env, cloud.environment, { UPLOADS_BUCKET: BUCKET })
  const { handler } = await import('./handler.ts')
  say(`${files} files are uploaded ${UPLOADS} times each, and every second one is deleted …`)
  const notifications = Array.from({ length: files }, (_, number) => eventsOf(number)).flat()
  for (const notification of notifications.toReversed()) {
    const MessageBody = JSON.stringify(notification)
    await cloud.sqs.send(
      new SendMessageCommand({ QueueUrl: cloud.queueUrl('uploads'), MessageBody }),
    )
  }
  const mapping = mapQueue({
    cloud,
    queue: 'uploads',
    handler,
    functionTimeout: '3s',
    faults: FAULTS,
  })
  await untilQuiet([mapping])

  const rows = await rowsOf(cloud, 'files')
  const right = rows.filter(
    ({ file, size }) => size === sizeAtEnd(Number(/\d+/.exec(String(file)))),
  )
  const result = {
    files,
    notifications: notifications.length,
    deliveries: mapping.counts.deliveries,
    wrong: files - right.length,
  }
  say(`${result.deliveries} deliveries out of order: ${result.wrong} wrong rows.`)
  await keep(cloud)
  return result
}

const isDeleted = (number: number): boolean => number % 2 === 1
const sizeAtEnd = (number: number): number => (isDeleted(number) ? 0 : UPLOADS)

/** In the order in which they happened. */
function eventsOf(number: number): readonly object[] {
  const file = { bucket: BUCKET, key: `photos/summer ${number}.jpg` }
  const uploads = Array.from({ length: UPLOADS }, (_, nth) =>
    s3Notification({ ...file, size: nth + 1 }),
  )
  const deleted = isDeleted(number)
    ? [s3Notification({ ...file, eventName: 'ObjectRemoved:Delete' })]
    : []
  return [...uploads, ...deleted]
}
