import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { rowsOf } from '../../../../examples/rows.ts'
import type { Course, Place } from './course.ts'

const MOVES = 5
const DAY_MS = 86_400_000

export async function addresses({ cloud, mark, count, example }: Place): Promise<Course> {
  const { handler } = await example(
    'timestamp-guard/handler.ts',
    import('../../../../examples/timestamp-guard/handler.ts'),
  )
  const QueueUrl = cloud.queueUrl('addresses')
  const customers = Math.ceil(count / MOVES)
  return {
    handlers: { addresses: handler },
    async send() {
      const today = Date.now()
      // The last move is queued first.
      for (let move = MOVES; move >= 1; move--) {
        const movedAt = new Date(today - (MOVES - move) * DAY_MS).toISOString()
        for (let number = 1; number <= customers; number++) {
          const moved = { customerId: `${mark}-${number}`, address: `house ${move}`, movedAt }
          const MessageBody = JSON.stringify(moved)
          await cloud.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }))
        }
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
