import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { rowsOf } from '../../../examples/rows.ts'
import { systemClock } from '../../../src/clock.ts'
import type { Course, Place } from './course.ts'

const MOVES = 5
/** So that no two moves of a customer have the same time. */
const APART_MS = 2

export async function addresses({ cloud, mark, count }: Place): Promise<Course> {
  const { handler } = await import('../../../examples/timestamp-guard/handler.ts')
  const QueueUrl = cloud.queueUrl('addresses')
  const customers = Math.ceil(count / MOVES)
  return {
    handlers: { addresses: handler },
    async send() {
      for (let move = 1; move <= MOVES; move++) {
        for (let number = 1; number <= customers; number++) {
          const moved = { customerId: `${mark}-${number}`, address: `house ${move}` }
          const MessageBody = JSON.stringify(moved)
          await cloud.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }))
        }
        await systemClock.sleep(APART_MS)
      }
    },
    async books() {
      const at = (await rowsOf(cloud, 'customers')).filter(
        ({ customerId, address }) =>
          String(customerId).startsWith(`${mark}-`) && address === `house ${MOVES}`,
      )
      return { wanted: { addresses: customers }, had: { addresses: at.length } }
    },
  }
}
