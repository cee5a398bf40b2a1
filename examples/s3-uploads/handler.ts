import { Logger } from '@aws-lambda-powertools/logger'
import { absent, anyOf, atMost, emfMetrics, recordHandler, s3Events } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'

const uploads = s3Events({ buckets: [process.env['UPLOADS_BUCKET'] ?? ''] })

/** A register of the files in a bucket. S3 notifies in any order, and at times twice: what happened last to a file stands. */
export const handler = recordHandler(
  {
    name: 'uploads',
    store: dynamoDbStore({ tableName: 'lineclear' }),
    envelopes: [uploads],
    schema: uploads.schema,
    logger: new Logger({ serviceName: 'uploads' }),
    metrics: emfMetrics(),
  },
  async ({ eventName, bucket, key, size = 0, sequencer }, ctx) => {
    // Only what creates or deletes an object has a place in the order.
    if (sequencer === undefined) return
    const written = await ctx.write('register', {
      TableName: 'files',
      Key: { file: `${bucket}/${key}` },
      // A deleted file keeps its row: without it, the notification of an older upload would bring the file back.
      set: { removed: eventName.startsWith('ObjectRemoved'), size, sequencer },
      guard: anyOf(absent('sequencer'), atMost('sequencer', sequencer)),
    })
    if (!written.applied) ctx.logger.info('an older notification came late', { key })
  },
)
