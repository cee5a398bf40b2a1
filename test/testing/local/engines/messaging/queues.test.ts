import { ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs'
import { startLocalCloud } from 'lineclear/local'
import { afterEach, expect, it, vi } from 'vitest'
import { placeIn, QUEUES } from './queues.ts'

afterEach(() => vi.useRealTimers())

it('queues and topics answer as AWS, but for what is named', async () => {
  const names = QUEUES.map(({ kind }, nth) => `queue-${nth}${kind === 'fifo' ? '.fifo' : ''}`)
  await using cloud = await startLocalCloud({
    queues: { ...Object.fromEntries(names.map((name) => [name, {}])), else: {} },
    topics: Object.fromEntries(
      names.map((queue) => [queue, { subscriptions: [{ queue, raw: true }] }]),
    ),
  })
  const QueueUrl = cloud.queueUrl('else')
  await cloud.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' }))
  const { Messages: [message] = [] } = await cloud.sqs.send(new ReceiveMessageCommand({ QueueUrl }))
  const answers: unknown[] = []
  for (const [nth, { ask }] of QUEUES.entries()) {
    vi.useFakeTimers({ toFake: ['Date'] })
    const pass = (seconds: number): void => void vi.setSystemTime(Date.now() + seconds * 1_000)
    const place = placeIn(cloud, names[nth] ?? '', message?.ReceiptHandle ?? '', pass)
    answers.push(await ask(place))
    vi.useRealTimers()
  }
  const shown = (answerOf: (nth: number) => unknown) =>
    QUEUES.map(({ rule }, nth) => [rule, answerOf(nth)])
  expect(shown((nth) => answers[nth])).toEqual(
    shown((nth) => (QUEUES[nth]?.here ?? QUEUES[nth])?.answers),
  )
})
