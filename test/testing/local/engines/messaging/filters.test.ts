import { PublishCommand } from '@aws-sdk/client-sns'
import { startLocalCloud } from 'lineclear/local'
import { expect, it } from 'vitest'
import { FILTERS, type FilterRule } from './filters.ts'

function attributeOf(value: unknown): { DataType: string; StringValue: string } {
  if (Array.isArray(value)) return { DataType: 'String.Array', StringValue: JSON.stringify(value) }
  return { DataType: typeof value === 'number' ? 'Number' : 'String', StringValue: String(value) }
}

function messageOf({ body = 'x', attributes = {} }: FilterRule) {
  const entries = Object.entries(attributes).map(([name, one]) => [name, attributeOf(one)])
  return {
    Message: typeof body === 'string' ? body : JSON.stringify(body),
    MessageAttributes: Object.fromEntries(entries) as Record<
      string,
      ReturnType<typeof attributeOf>
    >,
  }
}

it('a message is delivered where AWS delivers it', async () => {
  const names = FILTERS.map((_, nth) => `filtered-${nth}`)
  await using cloud = await startLocalCloud({
    queues: Object.fromEntries(names.map((name) => [name, {}])),
    topics: Object.fromEntries(
      FILTERS.map(({ policy, attributes }, nth) => {
        const filterPolicyScope = attributes === undefined ? 'MessageBody' : 'MessageAttributes'
        const queue = names[nth] ?? ''
        return [queue, { subscriptions: [{ queue, filterPolicy: policy, filterPolicyScope }] }]
      }),
    ),
  })
  for (const [nth, rule] of FILTERS.entries()) {
    const TopicArn = cloud.topicArn(names[nth] ?? '')
    await cloud.sns.send(new PublishCommand({ TopicArn, ...messageOf(rule) }))
  }
  const delivered = names.map((name) => cloud.inspectQueue(name).ready.length === 1)
  const shown = (isDelivered: (nth: number) => boolean | undefined) =>
    FILTERS.map(({ policy, body, attributes }, nth) => [
      policy,
      body ?? attributes,
      isDelivered(nth),
    ])
  expect(shown((nth) => delivered[nth])).toEqual(shown((nth) => FILTERS[nth]?.isDelivered))
})
