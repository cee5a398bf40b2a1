import type { DeployedQueue, RedriveAllow } from '../deployment.ts'
import { readQueuePolicies } from './readPolicies.ts'
import {
  logicalId,
  isOn,
  asList,
  resolveNumber,
  resourcesOf,
  type Template,
  resolveText,
  type Values,
  asValues,
} from './resolve.ts'

/** Reads the queues, with the defaults of AWS. */
export function readQueues(template: Template): DeployedQueue[] {
  const policies = readQueuePolicies(template)
  return resourcesOf(template, 'AWS::SQS::Queue').map(([id, queue]) => ({
    id,
    kind: isOn(template, queue['FifoQueue']) ? 'fifo' : 'standard',
    visibilityTimeout: resolveNumber(template, queue['VisibilityTimeout'], 30),
    retention: resolveNumber(template, queue['MessageRetentionPeriod'], 345_600),
    encryption: encryptionOf(template, queue),
    policy: policies.get(id) ?? [],
    ...redriveOf(template, queue),
    ...allowOf(template, queue),
  }))
}

function encryptionOf(template: Template, queue: Values): DeployedQueue['encryption'] {
  const { KmsMasterKeyId, SqsManagedSseEnabled } = queue
  if (KmsMasterKeyId === undefined) {
    // AWS turns it on for new queues by default.
    const enabled = SqsManagedSseEnabled ?? true
    return isOn(template, enabled) ? 'sqs' : 'none'
  }
  return resolveText(template, KmsMasterKeyId) === 'alias/aws/sqs' ? 'aws managed kms' : 'kms'
}

function redriveOf(template: Template, queue: Values): Pick<DeployedQueue, 'deadLetter'> {
  const { deadLetterTargetArn, maxReceiveCount } = asValues(queue['RedrivePolicy'])
  if (deadLetterTargetArn === undefined) return {}
  return {
    deadLetter: {
      queue: logicalId(template, deadLetterTargetArn),
      maxReceiveCount: resolveNumber(template, maxReceiveCount, 10),
    },
  }
}

function allowOf(template: Template, queue: Values): { readonly redriveAllow?: RedriveAllow } {
  if (queue['RedriveAllowPolicy'] === undefined) return {}
  const { redrivePermission, sourceQueueArns } = asValues(queue['RedriveAllowPolicy'])
  return {
    redriveAllow: {
      permission: permissionOf(redrivePermission),
      sources: asList(sourceQueueArns).map((arn) => logicalId(template, arn)),
    },
  }
}

export function permissionOf(text: unknown): RedriveAllow['permission'] {
  return text === 'denyAll' || text === 'byQueue' ? text : 'allowAll'
}
