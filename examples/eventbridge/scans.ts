import { Logger } from '@aws-lambda-powertools/logger'
import { emfMetrics, recordHandler } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { z } from 'zod'

const Scan = z.object({ parcelId: z.string(), place: z.string(), scannedAt: z.iso.datetime() })

/** Puts an event on the bus for each scan. If it is put twice, the consumers behind the bus know it by its uniquerequestid. */
export const handler = recordHandler(
  {
    name: 'scans',
    store: dynamoDbStore({ tableName: 'lineclear' }),
    schema: Scan,
    id: ({ parcelId, scannedAt }) => `${parcelId}/${scannedAt}`,
    sentAt: ({ scannedAt }) => scannedAt,
    logger: new Logger({ serviceName: 'scans' }),
    metrics: emfMetrics(),
  },
  async ({ parcelId, place }, ctx) => {
    await ctx.publish(
      process.env['EVENT_BUS_ARN'] ?? '',
      { parcelId, place },
      { source: 'my.parcels', detailType: 'ParcelMoved' },
    )
  },
)
