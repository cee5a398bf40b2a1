import { type LocalCloud, type startLocalCloud } from '../../../src/testing/local/index.ts'
import { type FunctionOf, namedBy, type Service } from './service.ts'

/** Seconds. Much shorter than deployed: what was killed is delivered again in the time of the rehearsal. */
export const TIMEOUT = 4
const SECRET = 'the-secret-that-the-provider-signs-with'
const BUCKET = 'uploads'
const PROBES = {
  probe: { visibilityTimeout: 1, deadLetter: { queue: 'probeDead', maxReceiveCount: 2 } },
  probeDead: {},
}

/** The queue's own name, or its logical one. */
export function nameOf({ resources }: Service, id: string): string {
  const name = resources[id]?.Properties['QueueName'] ?? resources[id]?.Properties['TableName']
  return typeof name === 'string' ? name : id
}

function ofType(
  { resources }: Service,
  type: string,
): [string, Readonly<Record<string, unknown>>][] {
  return Object.entries(resources).flatMap(([id, { Type, Properties }]) =>
    Type === type ? [[id, Properties]] : [],
  )
}

/** The template's queues, topics, rules, tables and buckets, as the local cloud describes them. */
export function describe(service: Service) {
  const queues = ofType(service, 'AWS::SQS::Queue').map(([id, { RedrivePolicy }]) => {
    const { deadLetterTargetArn, maxReceiveCount = 10 } = (RedrivePolicy ?? {}) as {
      deadLetterTargetArn?: unknown
      maxReceiveCount?: number
    }
    const dead = namedBy(deadLetterTargetArn)
    const deadLetter = dead && {
      queue: nameOf(service, dead),
      maxReceiveCount: 10 * maxReceiveCount,
    }
    return [
      nameOf(service, id),
      { visibilityTimeout: 3 * TIMEOUT, ...(deadLetter && { deadLetter }) },
    ]
  })
  const subscriptions = ofType(service, 'AWS::SNS::Subscription').filter(
    ([, { Protocol }]) => Protocol === 'sqs',
  )
  const topics = ofType(service, 'AWS::SNS::Topic').map(([id]) => {
    const ours = subscriptions.filter(([, { TopicArn }]) => namedBy(TopicArn) === id)
    const queuesOf = ours.map(([, { Endpoint }]) => ({
      queue: nameOf(service, namedBy(Endpoint) ?? ''),
    }))
    return [id, { subscriptions: queuesOf }]
  })
  const rules = ofType(service, 'AWS::Events::Rule').flatMap(([, { EventPattern, Targets }]) => {
    const { source, 'detail-type': detailTypes } = EventPattern as Record<string, string[]>
    const sources = source ?? []
    return (Targets as { Arn: unknown }[]).map(({ Arn }) => {
      return { queue: nameOf(service, namedBy(Arn) ?? ''), sources, detailTypes: detailTypes ?? [] }
    })
  })
  const tables = ofType(service, 'AWS::DynamoDB::Table').map(([, Properties]) => {
    const { TableName, KeySchema, AttributeDefinitions, GlobalSecondaryIndexes } = Properties
    const table = { KeySchema, AttributeDefinitions, BillingMode: 'PAY_PER_REQUEST' }
    return [
      TableName,
      { ...table, ...(GlobalSecondaryIndexes !== undefined && { GlobalSecondaryIndexes }) },
    ]
  })
  return {
    queues: { ...Object.fromEntries(queues), ...PROBES },
    topics: Object.fromEntries(topics),
    buses: { default: { rules } },
    tables: Object.fromEntries(tables),
    buckets: [BUCKET, 'payloads'],
  } as Parameters<typeof startLocalCloud>[0]
}

/** By logical names. */
export function placesIn(service: Service, cloud: LocalCloud): ReadonlyMap<string, string> {
  return new Map([
    ...ofType(service, 'AWS::SQS::Queue').map(
      ([id]) => [id, cloud.queueUrl(nameOf(service, id))] as const,
    ),
    ...ofType(service, 'AWS::SNS::Topic').map(([id]) => [id, cloud.topicArn(id)] as const),
    ...ofType(service, 'AWS::DynamoDB::Table').map(([id]) => [id, nameOf(service, id)] as const),
    ['UploadsBucket', BUCKET],
    ['PayloadsBucket', 'payloads'],
  ])
}

/** One secret for all webhooks: the functions share a process. */
export function environmentOf(
  { environment }: FunctionOf,
  resources: ReadonlyMap<string, string>,
): Readonly<Record<string, string>> {
  const values = Object.entries(environment).flatMap(([name, value]): [string, string][] => {
    if (name === 'WEBHOOK_SECRETS') return [[name, JSON.stringify({ current: SECRET })]]
    const found = resources.get(namedBy(value) ?? '')
    return found === undefined ? [] : [[name, found]]
  })
  return Object.fromEntries(values)
}
