import { ListQueuesCommand } from '@aws-sdk/client-sqs'
import { startLocalCloud } from 'lineclear/local'
import { afterEach, expect, it, vi } from 'vitest'

afterEach(() => vi.useRealTimers())

it('an answer has the time at which it is given, and not that of one before', async () => {
  await using cloud = await startLocalCloud({ queues: { orders: {} } })
  const dates: (string | undefined)[] = []
  cloud.sqs.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args)
      const { headers } = result.response as { headers: Record<string, string> }
      dates.push(headers['date'])
      return result
    },
    { step: 'deserialize' },
  )
  const times = ['Sun, 29 Nov 2026 10:00:00 GMT', 'Sun, 29 Nov 2026 10:00:07 GMT']
  vi.useFakeTimers({ toFake: ['Date'] })
  for (const time of times) {
    vi.setSystemTime(new Date(time))
    await cloud.sqs.send(new ListQueuesCommand())
  }
  expect(dates).toEqual(times)
})
