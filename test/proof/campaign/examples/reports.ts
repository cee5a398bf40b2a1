import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { rowsOf } from '../../../../examples/rows.ts'
import type { Course, Place } from './course.ts'

/** Every fifth report is larger than a message. */
const linesOf = (number: number): number => (number % 5 === 0 ? 60_000 : 10)

export async function reports({ cloud, mark, count, example }: Place): Promise<Course> {
  const { write, archive } = await example(
    'large-payloads/handler.ts',
    import('../../../../examples/large-payloads/handler.ts'),
  )
  const numbers = Array.from({ length: count }, (_, nth) => nth + 1)
  return {
    handlers: { write, archive },
    async send() {
      const QueueUrl = cloud.queueUrl('write')
      for (const number of numbers) {
        const wanted = { reportId: `${mark}-${number}`, lines: linesOf(number) }
        const MessageBody = JSON.stringify(wanted)
        await cloud.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }))
      }
    },
    async books() {
      const rows = (await rowsOf(cloud, 'reports')).filter(({ reportId }) =>
        String(reportId).startsWith(`${mark}-`),
      )
      const lines = rows.reduce((sum, row) => sum + Number(row['lines']), 0)
      const wanted = numbers.reduce((sum, number) => sum + linesOf(number), 0)
      return {
        wanted: { reports: count, 'report lines': wanted },
        had: { reports: rows.length, 'report lines': lines },
      }
    },
  }
}
