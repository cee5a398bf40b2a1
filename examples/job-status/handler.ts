import { recordHandler } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { z } from 'zod'

export const Export = z.object({ exportId: z.string(), rows: z.number().int().nonnegative() })
export const store = dynamoDbStore({ tableName: 'lineclear' })

/** The job. What it returns is not stored: the result is a row of its own, written once. */
export const exports = recordHandler(
  { name: 'exports', store, schema: Export, id: ({ exportId }) => exportId, retention: '30d' },
  async ({ exportId, rows }, ctx) => {
    await ctx.write('file', {
      TableName: 'exports',
      Key: { exportId },
      set: { file: `s3://exports/${exportId}.csv`, rows },
    })
  },
)
