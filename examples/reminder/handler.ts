import { Logger } from '@aws-lambda-powertools/logger'
import { absent, emfMetrics, equals, recordHandler, storedDelays } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { z } from 'zod'

const Invoice = z.object({ orderId: z.string() })
const store = dynamoDbStore({ tableName: 'lineclear' })
const metrics = emfMetrics()

/** An invoice is sent. A day later a consumer checks whether it is paid. Until then the message is a row of the table. */
export const invoiced = recordHandler(
  {
    name: 'invoiced',
    store,
    schema: Invoice,
    id: ({ orderId }) => orderId,
    delays: storedDelays(),
    logger: new Logger({ serviceName: 'invoiced' }),
    metrics,
  },
  async ({ orderId }, ctx) => {
    const invoice = { TableName: 'invoices', Key: { orderId } }
    const open = { ...invoice, put: { state: 'open', reminders: 0 }, guard: absent() }
    await ctx.write('open', open)
    await ctx.send(process.env['REMIND_QUEUE'] ?? '', { orderId }, { delay: '24h' })
  },
)

/** A day later: reminds once, and only of an invoice that is still open. */
export const remind = recordHandler(
  {
    name: 'remind',
    store,
    schema: Invoice,
    logger: new Logger({ serviceName: 'remind' }),
    metrics,
  },
  async ({ orderId }, ctx) => {
    const invoice = { TableName: 'invoices', Key: { orderId } }
    const reminder = { ...invoice, add: { reminders: 1 }, guard: equals('state', 'open') }
    const { applied } = await ctx.write('remind', reminder)
    ctx.logger.info(applied ? 'reminded' : 'paid in time: no reminder', { orderId })
  },
)
