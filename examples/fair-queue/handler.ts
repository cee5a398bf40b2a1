import { Logger } from '@aws-lambda-powertools/logger'
import { emfMetrics, recordHandler, TerminalError } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { z } from 'zod'

export const Import = z.object({ importId: z.string(), rows: z.number() })

/** Each shop sends its imports with itself as message group; what they cause goes on under the same shop. */
export const imports = recordHandler(
  {
    name: 'imports',
    store: dynamoDbStore({ tableName: 'lineclear' }),
    schema: Import,
    logger: new Logger({ serviceName: 'imports' }),
    metrics: emfMetrics(),
  },
  async ({ importId, rows }, ctx) => {
    if (rows < 0) throw new TerminalError(`an import of ${rows} rows`)
    await ctx.send(process.env['INDEX_QUEUE'] ?? '', { importId }, { groupId: 'inherit' })
  },
)
