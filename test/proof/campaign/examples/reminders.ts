import { setTimeout as sleep } from 'node:timers/promises'
import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { rowsOf } from '../../../../examples/rows.ts'
import { fakeClock } from '../../../../src/testing/fakeClock.ts'
import type { Course, Place } from './course.ts'

const DAY_MS = 86_400_000

/** A sweeper whose clock is a day ahead runs until each reminder has come. */
export async function reminders({ cloud, mark, count, example, sweeper }: Place): Promise<Course> {
  const { invoiced, remind } = await example(
    'reminder/handler.ts',
    import('../../../../examples/reminder/handler.ts'),
  )
  const rows = async () =>
    (await rowsOf(cloud, 'invoices')).filter(({ orderId }) =>
      String(orderId).startsWith(`${mark}-`),
    )
  const reminded = async (): Promise<number> =>
    (await rows()).reduce((sum, { reminders: times }) => sum + Number(times), 0)
  return {
    handlers: { invoiced, remind },
    async send() {
      for (let number = 1; number <= count; number++) {
        const MessageBody = JSON.stringify({ orderId: `${mark}-${number}` })
        await cloud.sqs.send(
          new SendMessageCommand({ QueueUrl: cloud.queueUrl('invoiced'), MessageBody }),
        )
      }
      for (let until = Date.now() + 120_000; Date.now() < until; await sleep(500)) {
        const clock = fakeClock(Date.now() + DAY_MS)
        const sweep = sweeper({ clock, grace: '40d' })
        await Promise.all([sweep(), sweep()])
        if ((await reminded()) >= count) return
      }
    },
    async books() {
      return { wanted: { reminders: count }, had: { reminders: await reminded() } }
    },
  }
}
