import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { tableDefinition } from 'lineclear/dynamodb'
import { mapQueue, startLocalCloud } from 'lineclear/local'
import { expect, it, vi } from 'vitest'
import { untilQuiet } from '../../../examples/quiet.ts'
import { rowsOf } from '../../../examples/rows.ts'

it('account-bookings: an amount is booked once, with its line, for a booking that is delivered twice', async () => {
  vi.spyOn(console, 'log').mockImplementation(() => {})
  await using cloud = await startLocalCloud({
    queues: { bookings: {} },
    tables: {
      lineclear: tableDefinition(),
      accounts: { hash: 'account' },
      lines: { hash: 'bookingId' },
    },
  })
  Object.assign(process.env, cloud.environment)
  const { handler } = await import('../../../examples/account-bookings/handler.ts')
  const QueueUrl = cloud.queueUrl('bookings')
  for (const number of [1, 2, 3, 1, 2, 3]) {
    const MessageBody = JSON.stringify({ bookingId: `b${number}`, account: 'a', cents: 10 })
    await cloud.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }))
  }
  await using mapping = mapQueue({ cloud, queue: 'bookings', handler })
  await untilQuiet([mapping])
  expect(await rowsOf(cloud, 'accounts')).toEqual([{ account: 'a', cents: 30 }])
  expect(await rowsOf(cloud, 'lines')).toHaveLength(3)
})
