import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { tableDefinition } from 'lineclear/dynamodb'
import { mapQueue, startLocalCloud } from 'lineclear/local'
import { type Keep, stopAtEnd } from '../keep.ts'
import { FAULTS, untilQuiet } from '../quiet.ts'
import { rowsOf } from '../rows.ts'

const QUEUE = { visibilityTimeout: 18, deadLetter: { queue: 'dead', maxReceiveCount: 100 } }

export interface PayloadsResult {
  readonly reports: number
  /** Objects in the bucket: one for each report that does not fit into a message. */
  readonly objects: number
  /** Bytes of the largest of them. */
  readonly largest: number
  /** Reports that were not counted once, with all their lines. */
  readonly wrong: number
}

/** Every second report has more lines than fit into a message of 1 MiB. */
const linesOf = (number: number): number => (number % 2 === 0 ? 60_000 : 10)

/** Reports go from one consumer to the other, under faults. */
export async function run(
  reports: number,
  say: (line: string) => void,
  keep: Keep = stopAtEnd,
): Promise<PayloadsResult> {
  await using cloud = await startLocalCloud({
    queues: { write: QUEUE, archive: QUEUE, dead: {} },
    tables: { lineclear: tableDefinition(), reports: { hash: 'reportId' } },
    buckets: ['payloads'],
  })
  Object.assign(process.env, cloud.environment)
  process.env['PAYLOADS_BUCKET'] = 'payloads'
  process.env['ARCHIVE_QUEUE'] = cloud.queueUrl('archive')
  const { write, archive } = await import('./handler.ts')
  say(`${reports} reports are written, every second one larger than a message …`)
  for (let number = 1; number <= reports; number++) {
    const wanted = { reportId: `report-${number}`, lines: linesOf(number) }
    const QueueUrl = cloud.queueUrl('write')
    await cloud.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(wanted) }))
  }
  const map = { cloud, functionTimeout: '3s', faults: FAULTS } as const
  const mappings = [
    mapQueue({ ...map, queue: 'write', handler: write }),
    mapQueue({ ...map, queue: 'archive', handler: archive }),
  ]
  await untilQuiet(mappings)

  const rows = await rowsOf(cloud, 'reports')
  const right = rows.filter(
    ({ reportId, lines }) => lines === linesOf(Number(String(reportId).slice('report-'.length))),
  )
  const s3 = new S3Client({})
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: 'payloads' }))
  s3.destroy()
  const sizes = Contents.map(({ Size = 0 }) => Size)
  const result = {
    reports,
    objects: sizes.length,
    largest: Math.max(0, ...sizes),
    wrong: reports - right.length,
  }
  say(
    `${result.objects} payloads in S3, the largest of ${result.largest} bytes: ${result.wrong} reports lost or counted twice.`,
  )
  await keep(cloud)
  return result
}
