import { SNS } from '@aws-sdk/client-sns'
import { SetQueueAttributesCommand } from '@aws-sdk/client-sqs'
import { tableDefinition } from 'lineclear/dynamodb'
import { type LocalCloud, startLocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { SnsReader } from '../../../src/tools/doctor/account/clients.ts'
import { fromAccount } from '../../../src/tools/doctor/account/fromAccount.ts'
import { fromTemplate, fromTerraform } from './from.ts'
import { diagnose } from '../../../src/tools/doctor/rules/diagnose.ts'
import { doctorLines } from '../../../src/tools/cli/doctorText.ts'

const FILTER = { channel: ['shop'] }
const PLACED = 'arn:aws:sns:us-east-1:000000000000:placed'
const RETURNED = 'arn:aws:sns:us-east-1:000000000000:returned'

let cloud: LocalCloud
let sns: SNS
beforeAll(async () => {
  cloud = await startLocalCloud({
    queues: { orders: {} },
    topics: {
      placed: { subscriptions: [{ queue: 'orders', raw: true, filterPolicy: FILTER }] },
      returned: { subscriptions: [{ queue: 'orders' }] },
      lonely: {},
    },
    tables: { lineclear: tableDefinition() },
  })
  const credentials = { accessKeyId: 'x', secretAccessKey: 'x' }
  const endpoint = cloud.endpoints.sns ?? ''
  sns = new SNS({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1 })
})
afterAll(() => cloud.stop())

/** @param arns what the policy of the queue admits: topics, or patterns */
async function look(arns: readonly string[], reader?: SnsReader) {
  const Policy = JSON.stringify({
    Statement: arns.map((arn) => ({
      Effect: 'Allow',
      Principal: { Service: 'sns.amazonaws.com' },
      Action: 'sqs:SendMessage',
      Resource: cloud.queueArn('orders'),
      Condition: { ArnLike: { 'aws:SourceArn': arn } },
    })),
  })
  const QueueUrl = cloud.queueUrl('orders')
  await cloud.sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy } }))
  const { sqs, dynamodb } = cloud
  const clients = { sqs, dynamodb, ...(reader && { sns: () => reader }) }
  const deployment = await fromAccount(clients, { queueUrls: [QueueUrl] })
  const findings = diagnose(deployment)
  return { deployment, findings, lines: doctorLines(deployment, findings, true) }
}

it('shows filter, scope, raw delivery and redrive policy of each subscription that feeds the queue', async () => {
  const { lines, findings } = await look([PLACED, RETURNED], sns)
  const orders = cloud.queueArn('orders')
  expect(lines).toContain(
    `Subscription of ${orders} to ${PLACED}: raw delivery, no redrive policy, filter policy on MessageAttributes: {"channel":["shop"]}`,
  )
  expect(lines.join('\n')).toContain('NumberOfNotificationsFilteredOut')
  expect(lines).toContain(
    `Subscription of ${orders} to ${RETURNED}: no raw delivery, no redrive policy, no filter policy.`,
  )
  expect(found(findings, 'raw-delivery')).toHaveLength(1)
  expect(found(findings, 'subscription-dead-letter')).toHaveLength(2)
})

it('asks each topic in its Region', async () => {
  const elsewhere = PLACED.replace('us-east-1', 'eu-west-1')
  const asked: string[] = []
  const { sqs, dynamodb } = cloud
  await look([elsewhere], sns)
  const readers = (region: string): SnsReader => {
    asked.push(region)
    return sns
  }
  await fromAccount({ sqs, dynamodb, sns: readers }, { queueUrls: [cloud.queueUrl('orders')] })
  expect(asked).toEqual(['eu-west-1'])
})

const denied = Object.assign(new Error('no'), { name: 'AuthorizationErrorException' })
const page = (SubscriptionArn: string) => ({
  Subscriptions: [{ SubscriptionArn, Endpoint: cloud.queueArn('orders') }],
})
const refuse = async () => Promise.reject(denied)
const fail = async () => Promise.reject(new Error('connect ECONNREFUSED'))

it.each<[name: string, (usual: SnsReader) => Partial<SnsReader>, RegExp]>([
  [
    'may not be listed',
    () => ({ listSubscriptionsByTopic: refuse }),
    /:placed: sns:ListSubscriptionsByTopic is not allowed\. Allow sns:ListSubscriptionsByTopic/,
  ],
  [
    'may not be described',
    () => ({ getSubscriptionAttributes: refuse }),
    /:placed:\S+: sns:GetSubscriptionAttributes is not allowed\. Allow sns:GetSubscriptionAttributes/,
  ],
  [
    'give no answer',
    () => ({ listSubscriptionsByTopic: fail }),
    /:placed: sns:ListSubscriptionsByTopic has failed \(Error: connect ECONNREFUSED\)/,
  ],
  [
    'are without an end',
    () => ({ listSubscriptionsByTopic: async () => ({ NextToken: 'more' }) }),
    /:placed: it has more subscriptions than were looked at/,
  ],
])('subscriptions that %s are not taken for none', async (_, change, said) => {
  const usual: SnsReader = {
    listSubscriptionsByTopic: async (input) => sns.listSubscriptionsByTopic(input),
    getSubscriptionAttributes: async (input) => sns.getSubscriptionAttributes(input),
  }
  const { lines, deployment } = await look([PLACED], { ...usual, ...change(usual) })
  expect(deployment.subscriptions).toEqual([])
  expect(lines.join('\n')).toMatch(said)
  expect(lines.join('\n')).not.toContain('Subscription of')
})

it('reads all pages, and leaves out what goes elsewhere', async () => {
  const { Subscriptions = [] } = await sns.listSubscriptionsByTopic({ TopicArn: PLACED })
  const [own] = Subscriptions
  const pages: SnsReader = {
    listSubscriptionsByTopic: async ({ NextToken }) =>
      NextToken === undefined
        ? { Subscriptions: [{ ...own, Endpoint: 'https://x.example' }], NextToken: '2' }
        : { Subscriptions },
    getSubscriptionAttributes: async (input) => sns.getSubscriptionAttributes(input),
  }
  const { deployment } = await look([PLACED], pages)
  expect(deployment.subscriptions.map(({ topic }) => topic)).toEqual([PLACED])
})

it('a subscription that is not confirmed is an error', async () => {
  const pending: SnsReader = {
    listSubscriptionsByTopic: async () => page('PendingConfirmation'),
    getSubscriptionAttributes: fail,
  }
  const { findings, lines, deployment } = await look([PLACED], pending)
  const [only, ...others] = found(findings, 'subscription-pending')
  expect(others).toEqual([])
  expect(only).toMatchObject({ severity: 'error', subject: PLACED })
  expect(only?.problem).toBe(`Its subscription to ${cloud.queueArn('orders')} is not confirmed.`)
  expect(found(findings, 'subscription-missing')).toEqual([])
  expect(deployment.subscriptions).toEqual([])
  expect(lines.join('\n')).not.toContain('Nothing found')
})

it.each([
  ['no subscription', []],
  ['one that is deleted', ['Deleted']],
])('whether a topic with %s was to feed the queue is a question', async (_, arns) => {
  const lonely = PLACED.replace('placed', 'lonely')
  const { findings } = await look([lonely], {
    listSubscriptionsByTopic: async () => ({
      Subscriptions: arns.flatMap((arn) => page(arn).Subscriptions),
    }),
    getSubscriptionAttributes: fail,
  })
  expect(found(findings, 'subscription-missing')).toMatchObject([
    { severity: 'question', subject: lonely },
  ])
})

it.each([
  ['no topic', [], /because no queue policy lets a topic in: .*raw-delivery/],
  ['a pattern', ['arn:aws:sns:*:*:*'], /:orders: its policy lets topics in that it does not name/],
])('a policy with %s is said to show no subscription', async (_, arns, said) => {
  expect((await look(arns, sns)).lines.join('\n')).toMatch(said)
})

it('without the client the rules of topics are not checked', async () => {
  const { lines } = await look([PLACED])
  expect(lines.join('\n')).toMatch(
    /^Not checked, because no SNS client was given: subscription-pending, /m,
  )
})

it.each([
  [{ FilterPolicy: FILTER }, 'MessageAttributes'],
  [{ FilterPolicy: JSON.stringify(FILTER), FilterPolicyScope: 'MessageBody' }, 'MessageBody'],
  [{ FilterPolicy: FILTER, FilterPolicyScope: { Ref: 'Scope' } }, undefined],
])('a template has filters as well: %j', (given, scope) => {
  const Properties = { Protocol: 'sqs', TopicArn: PLACED, Endpoint: 'arn:aws:sqs:a:1:q', ...given }
  const Resources = { Own: { Type: 'AWS::SNS::Subscription', Properties } }
  const [subscription] = fromTemplate({ Resources }).subscriptions
  expect(subscription?.filter).toEqual({ scope, policy: FILTER })
})

it('raw delivery of a template that is not known is not taken for none', () => {
  const Own = {
    Type: 'AWS::SNS::Subscription',
    Properties: { Protocol: 'sqs', TopicArn: PLACED, RawMessageDelivery: { Ref: 'Raw' } },
  }
  const deployment = fromTemplate({ Resources: { Own } })
  expect(deployment.subscriptions).toMatchObject([{ delivery: undefined }])
  expect(diagnose(deployment)).toContainEqual(
    expect.objectContaining({
      subject: 'Own',
      problem: 'Not checked: whether raw delivery is on is known only when it is deployed.',
    }),
  )
})

it('the event of a function of SAM has its scope', () => {
  const Events = {
    Placed: {
      Type: 'SNS',
      Properties: {
        Topic: PLACED,
        SqsSubscription: true,
        FilterPolicy: FILTER,
        FilterPolicyScope: 'MessageBody',
      },
    },
  }
  const Work = { Type: 'AWS::Serverless::Function', Properties: { Events } }
  const [subscription] = fromTemplate({
    Transform: 'AWS::Serverless-2016-10-31',
    Resources: { Work },
  }).subscriptions
  expect(subscription?.filter).toEqual({ scope: 'MessageBody', policy: FILTER })
})

it('Terraform has filters as well', () => {
  const address = 'aws_sns_topic_subscription.placed'
  const values = {
    protocol: 'sqs',
    topic_arn: PLACED,
    endpoint: 'arn:aws:sqs:a:1:q',
    filter_policy: JSON.stringify(FILTER),
    filter_policy_scope: 'MessageBody',
  }
  const resource = { address, mode: 'managed', type: 'aws_sns_topic_subscription', name: 'placed' }
  const root_module = { resources: [{ ...resource, values }] }
  const [subscription] = fromTerraform({ values: { root_module } }).subscriptions
  expect(subscription?.filter).toEqual({ scope: 'MessageBody', policy: FILTER })
})

function found(findings: ReturnType<typeof diagnose>, rule: string) {
  return findings.filter((each) => each.rule === rule && each.severity !== 'unchecked')
}
