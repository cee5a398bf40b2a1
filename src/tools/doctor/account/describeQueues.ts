import { GetQueueAttributesCommand, GetQueueUrlCommand } from '@aws-sdk/client-sqs'
import type { DeployedQueue } from '../deployment.ts'
import { permissionOf } from '../template/readQueues.ts'
import { readStatements } from '../template/readPolicies.ts'
import { asList, asValues } from '../template/values.ts'
import { regionOf } from './regionOf.ts'
import type { AccountClients } from './clients.ts'

type Sqs = AccountClients['sqs']

/** The queues, and the dead-letter queues that they name. */
export async function describeQueues(sqs: Sqs, urls: readonly string[]): Promise<DeployedQueue[]> {
  const queues = await Promise.all(urls.map((url) => describeQueue(sqs, url)))
  const known = new Set(queues.map(({ id }) => id))
  const targets = new Set(queues.map(({ deadLetter }) => deadLetter?.queue))
  const missing = [...targets].filter((arn) => arn !== undefined && !known.has(arn))
  const dead = missing.map(async (arn = '') => describeQueue(sqs, await urlOf(sqs, arn)))
  return [...queues, ...(await Promise.all(dead))]
}

async function urlOf(sqs: Sqs, arn: string): Promise<string> {
  const [, , , , QueueOwnerAWSAccountId = '', QueueName = ''] = arn.split(':')
  const input = { QueueName, QueueOwnerAWSAccountId }
  return (await sqs.send(new GetQueueUrlCommand(input))).QueueUrl ?? ''
}

async function describeQueue(sqs: Sqs, url: string): Promise<DeployedQueue> {
  const command = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['All'] })
  const { Attributes = {} } = await sqs.send(command)
  return queueOf(Attributes)
}

function queueOf(attributes: Partial<Record<string, string>>): DeployedQueue {
  const { Policy, RedrivePolicy, RedriveAllowPolicy } = attributes
  const { deadLetterTargetArn, maxReceiveCount } = read(RedrivePolicy)
  const allow = read(RedriveAllowPolicy)
  const id = attributes['QueueArn'] ?? ''
  return {
    id,
    region: regionOf(id),
    kind: attributes['FifoQueue'] === 'true' ? 'fifo' : 'standard',
    visibilityTimeout: Number(attributes['VisibilityTimeout'] ?? 30),
    retention: Number(attributes['MessageRetentionPeriod'] ?? 345_600),
    encryption: encryptionOf(attributes),
    policy: readStatements({ Resources: {} }, read(Policy)),
    ...(typeof deadLetterTargetArn === 'string'
      ? { deadLetter: { queue: deadLetterTargetArn, maxReceiveCount: Number(maxReceiveCount) } }
      : {}),
    ...(RedriveAllowPolicy === undefined
      ? {}
      : {
          redriveAllow: {
            permission: permissionOf(allow['redrivePermission']),
            sources: asList(allow['sourceQueueArns']).map(String),
          },
        }),
  }
}

function encryptionOf(attributes: Partial<Record<string, string>>): DeployedQueue['encryption'] {
  const { KmsMasterKeyId, SqsManagedSseEnabled } = attributes
  if (KmsMasterKeyId === undefined) return SqsManagedSseEnabled === 'true' ? 'sqs' : 'none'
  return KmsMasterKeyId === 'alias/aws/sqs' ? 'aws managed kms' : 'kms'
}

function read(json: string | undefined): ReturnType<typeof asValues> {
  return asValues(JSON.parse(json ?? '{}'))
}
