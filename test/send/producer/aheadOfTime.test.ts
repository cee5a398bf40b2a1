import type { SQSClient } from '@aws-sdk/client-sqs'
import { producer } from 'lineclear'
import { fakeClock } from 'lineclear/testing'
import { expect, it } from 'vitest'

const QUEUE = 'https://sqs.eu-west-1.amazonaws.com/123456789012/orders'

it('a time ahead of the clock counts as now: consumers would not trust it', async () => {
  const clock = fakeClock()
  const sent: unknown[] = []
  const send = async ({ input }: { input: { Entries: readonly { Id: string }[] } }) => {
    sent.push(...input.Entries)
    return { Successful: input.Entries.map(({ Id }) => ({ Id, MessageId: Id })) }
  }
  const { send: sendTo } = producer({ clock, sqs: { send } as unknown as SQSClient })
  await sendTo(QUEUE, {}, { sentAt: new Date(clock.now() + 60_000) })
  expect(JSON.stringify(sent)).toContain(String.raw`\"sentAt\":${clock.now()}`)
})
