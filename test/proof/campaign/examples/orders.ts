import { PublishCommand } from '@aws-sdk/client-sns'
import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { rowsOf } from '../../../../examples/rows.ts'
import type { Course, Place } from './course.ts'
import { idsIn } from './idsIn.ts'

/** Half of the orders come directly, half by SNS. */
export async function orders({ cloud, mark, count, example }: Place): Promise<Course> {
  const { handler } = await example(
    'orders/handler.ts',
    import('../../../../examples/orders/handler.ts'),
  )
  const { chargesMade } = await import('../../../../examples/orders/payments.ts')
  const chargedBefore = chargesMade()
  const place = async (orderId: string, number: number): Promise<unknown> => {
    const order = JSON.stringify({ orderId, sku: mark, quantity: 1 })
    const QueueUrl = cloud.queueUrl('orders')
    return number % 2 === 0
      ? cloud.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: order }))
      : cloud.sns.send(new PublishCommand({ TopicArn: cloud.topicArn('orders'), Message: order }))
  }
  return {
    handlers: { orders: handler },
    async send() {
      for (let number = 1; number <= count; number++) await place(`${mark}-${number}`, number)
    },
    async books() {
      const stock = (await rowsOf(cloud, 'stock')).find(({ sku }) => sku === mark)
      return {
        wanted: { reserved: count, charged: count, sent: count },
        had: {
          reserved: Number(stock?.['reserved'] ?? 0),
          charged: chargesMade() - chargedBefore,
          sent: idsIn(cloud, 'paid', mark).size,
        },
      }
    },
  }
}
