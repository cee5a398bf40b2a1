import { setTimeout as work } from 'node:timers/promises'
import { Logger } from '@aws-lambda-powertools/logger'
import { defineFlow, emfMetrics } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { z } from 'zod'

const Region = z.object({ region: z.string(), changedAt: z.iso.datetime() })

export const prices = defineFlow({
  name: 'prices',
  store: dynamoDbStore({ tableName: 'lineclear' }),
  logger: new Logger({ serviceName: 'prices' }),
  metrics: emfMetrics(),
  key: ({ region }) => region,
  sentAt: ({ changedAt }) => changedAt,
  // Triggered while it is being rebuilt: one more rebuild follows, however many triggers there were.
  onConflict: 'coalesce',
  stages: {
    rebuild: { schema: Region, queueUrl: process.env['REBUILD_QUEUE'] },
    announce: { schema: Region, queueUrl: process.env['ANNOUNCE_QUEUE'], final: true },
  },
})

export const rebuild = prices.stageHandler('rebuild', async ({ region, changedAt }, ctx) => {
  const source = await ctx.get({ TableName: 'source', Key: { region } })
  await work(300)
  await ctx.write('cache', {
    TableName: 'cache',
    Key: { region },
    put: { version: source?.['version'] ?? 0, by: ctx.uniqueRequestId },
  })
  await ctx.next('announce', { region, changedAt })
})

/** The Complete message leaves before the cache may be rebuilt again: killed in between, it is sent all the same. */
export const announce = prices.stageHandler('announce', async ({ region }, ctx) => {
  await ctx.write('announced', { TableName: 'rebuilds', Key: { region }, add: { count: 1 } })
  await ctx.send(process.env['REBUILT_QUEUE'] ?? '', { region, by: ctx.uniqueRequestId })
})
