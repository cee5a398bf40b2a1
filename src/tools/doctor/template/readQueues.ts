import type { DeployedQueue, RedriveAllow } from '../deployment.ts'
import { readQueuePolicies } from './readPolicies.ts'
import { logicalId, resourcesOf, type Template } from './resolve.ts'
import { asList, asValues, isOn, jsonOf, numberOf, textOf, type Values } from './values.ts'

/** Reads the queues, with the defaults of AWS. */
export function readQueues(template: Template): DeployedQueue[] {
  const policies = readQueuePolicies(template)
  return resourcesOf(template, 'AWS::SQS::Queue').map(([id, queue]) => ({
    id,
    kind: isOn(queue['FifoQueue']) ? 'fifo' : 'standard',
    visibilityTimeout: numberOf(queue['VisibilityTimeout'], 30),
    retention: numberOf(queue['MessageRetentionPeriod'], 345_600),
    encryption: encryptionOf(queue),
    policy: policies.get(id) ?? [],
    ...redriveOf(template, queue),
    ...allowOf(template, queue),
  }))
}

function encryptionOf(queue: Values): DeployedQueue['encryption'] {
  const { KmsMasterKeyId, SqsManagedSseEnabled } = queue
  // AWS turns it on for new queues by default.
  if (KmsMasterKeyId === undefined) return textOf(SqsManagedSseEnabled) === 'false' ? 'none' : 'sqs'
  return keyKind(textOf(KmsMasterKeyId))
}

function keyKind(key: string): DeployedQueue['encryption'] {
  return /(^|:)alias\/aws\/sqs$/.test(key) ? 'aws managed kms' : 'kms'
}

function redriveOf(template: Template, queue: Values): Pick<DeployedQueue, 'deadLetter'> {
  const { deadLetterTargetArn, maxReceiveCount } = asValues(jsonOf(queue['RedrivePolicy']))
  if (deadLetterTargetArn === undefined) return {}
  return {
    deadLetter: {
      queue: logicalId(template, deadLetterTargetArn),
      maxReceiveCount: numberOf(maxReceiveCount, 10),
    },
  }
}

function allowOf(template: Template, queue: Values): { readonly redriveAllow?: RedriveAllow } {
  if (queue['RedriveAllowPolicy'] === undefined) return {}
  const { redrivePermission, sourceQueueArns } = asValues(jsonOf(queue['RedriveAllowPolicy']))
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
