import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { rowsOf } from '../../../../examples/rows.ts'
import { s3Notification } from '../../../../src/testing/index.ts'
import type { Course, Place } from './course.ts'

const VERSIONS = 5

export async function uploads({ cloud, mark, count, example }: Place): Promise<Course> {
  const { handler } = await example(
    's3-uploads/handler.ts',
    import('../../../../examples/s3-uploads/handler.ts'),
  )
  const bucket = process.env['UPLOADS_BUCKET'] ?? ''
  const QueueUrl = cloud.queueUrl('uploads')
  const files = Math.ceil(count / VERSIONS)
  const versions = Array.from({ length: VERSIONS }, (_, nth) =>
    Array.from({ length: files }, (__, number) =>
      s3Notification({ bucket, key: `${mark}-${number}`, size: nth + 1 }),
    ),
  )
  return {
    handlers: { uploads: handler },
    async send() {
      // The last version is queued first, and all versions of the first file again.
      const again = versions.flatMap((each) => each.slice(0, 1))
      for (const event of [...versions.flat().toReversed(), ...again]) {
        const MessageBody = JSON.stringify(event)
        await cloud.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }))
      }
    },
    async books() {
      const right = (await rowsOf(cloud, 'files')).filter(
        ({ file, size }) => String(file).startsWith(`${bucket}/${mark}-`) && size === VERSIONS,
      )
      return { wanted: { uploads: files }, had: { uploads: right.length } }
    },
  }
}
