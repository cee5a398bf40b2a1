import type { Queue, RedriveAllow } from '../deployment.ts'
import { readQueuePolicies } from './readPolicies.ts'
import {
  idOf,
  isOn,
  listOf,
  numberOf,
  resourcesOf,
  type Template,
  textOf,
  type Values,
  valuesOf,
} from './resolve.ts'

/** Defaults are those of AWS. */
export function readQueues(template: Template): Queue[] {
  const policies = readQueuePolicies(template)
  return resourcesOf(template, 'AWS::SQS::Queue').map(([id, queue]) => ({
    id,
    kind: isOn(template, queue['FifoQueue']) ? 'fifo' : 'standard',
    visibilityTimeout: numberOf(template, queue['VisibilityTimeout'], 30),
    retention: numberOf(template, queue['MessageRetentionPeriod'], 345_600),
    encryption: encryptionOf(template, queue),
    policy: policies.get(id) ?? [],
    ...redriveOf(template, queue),
    ...allowOf(template, queue),
  }))
}

function encryptionOf(template: Template, queue: Values): Queue['encryption'] {
  const { KmsMasterKeyId, SqsManagedSseEnabled } = queue
  if (KmsMasterKeyId === undefined) {
    // AWS turns it on for new queues when nothing is said.
    const said = SqsManagedSseEnabled ?? true
    return isOn(template, said) ? 'sqs' : 'none'
  }
  return textOf(template, KmsMasterKeyId) === 'alias/aws/sqs' ? 'aws managed kms' : 'kms'
}

function redriveOf(template: Template, queue: Values): Pick<Queue, 'deadLetter'> {
  const { deadLetterTargetArn, maxReceiveCount } = valuesOf(queue['RedrivePolicy'])
  if (deadLetterTargetArn === undefined) return {}
  return {
    deadLetter: {
      queue: idOf(template, deadLetterTargetArn),
      maxReceiveCount: numberOf(template, maxReceiveCount, 10),
    },
  }
}

function allowOf(template: Template, queue: Values): { readonly redriveAllow?: RedriveAllow } {
  if (queue['RedriveAllowPolicy'] === undefined) return {}
  const { redrivePermission, sourceQueueArns } = valuesOf(queue['RedriveAllowPolicy'])
  return {
    redriveAllow: {
      permission: permissionOf(redrivePermission),
      sources: listOf(sourceQueueArns).map((arn) => idOf(template, arn)),
    },
  }
}

export function permissionOf(text: unknown): RedriveAllow['permission'] {
  return text === 'denyAll' || text === 'byQueue' ? text : 'allowAll'
}
