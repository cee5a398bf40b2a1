import { emfMetrics, recordHandler } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { s3Objects } from 'lineclear/s3'
import { z } from 'zod'

const Wanted = z.object({ reportId: z.string(), lines: z.int() })
const Report = z.object({ reportId: z.string(), lines: z.array(z.string()) })
const store = dynamoDbStore({ tableName: 'lineclear' })
const metrics = emfMetrics()
/** The same for both: the sender writes what does not fit into a message, the receiver reads it back. */
const offload = s3Objects({ bucket: process.env['PAYLOADS_BUCKET'] ?? '' })

export const write = recordHandler(
  { name: 'write', store, schema: Wanted, id: ({ reportId }) => reportId, offload, metrics },
  async ({ reportId, lines }, ctx) => {
    const text = Array.from({ length: lines }, (_, line) => `${reportId}, line ${line}`)
    await ctx.send(process.env['ARCHIVE_QUEUE'] ?? '', { reportId, lines: text })
  },
)

export const archive = recordHandler(
  { name: 'archive', store, schema: Report, offload, metrics },
  async ({ reportId, lines }, ctx) => {
    await ctx.write('count', {
      TableName: 'reports',
      Key: { reportId },
      add: { lines: lines.length },
    })
  },
)
