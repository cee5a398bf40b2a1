import { ConfigError } from '../../base/errors.ts'
import { isObject } from '../../base/kindOf.ts'

interface QueueArn {
  readonly partition: string
  readonly region: string
  readonly account: string
  readonly name: string
}

/** Domains of SQS by partition, from docs.aws.amazon.com/general/latest/gr/sqs-service.html and the SDK's own partitions. */
export const DOMAINS: Readonly<Record<string, string>> = {
  aws: 'amazonaws.com',
  'aws-cn': 'amazonaws.com.cn',
  'aws-us-gov': 'amazonaws.com',
  'aws-eusc': 'amazonaws.eu',
  'aws-iso': 'c2s.ic.gov',
  'aws-iso-b': 'sc2s.sgov.gov',
  'aws-iso-e': 'cloud.adc-e.uk',
  'aws-iso-f': 'csp.hci.ic.gov',
}

/**
 * The URL of a queue from its ARN, without a GetQueueUrl call and its permission.
 * @param sibling URL of another queue of the account, which gives the host; default: the public endpoint of the region
 * @throws ConfigError when it is not the ARN of a queue
 */
export function queueUrlOf(arn: string, sibling?: string): string {
  const { partition, region, account, name } = arnParts(arn)
  if (sibling !== undefined) return sibling.replace(/[^/]+$/, name)
  return `https://sqs.${region}.${DOMAINS[partition] ?? DOMAINS['aws']}/${account}/${name}`
}

/** @throws ConfigError when it is not the ARN of a queue */
export function checkedArn(arn: string): string {
  arnParts(arn)
  return arn
}

export function arnParts(arn: string): QueueArn {
  const [, partition = '', service, region, account, name] = arn.split(':')
  if (service === 'sqs' && region && account && name) return { partition, region, account, name }
  throw new ConfigError(`expected the ARN of an SQS queue, got ${JSON.stringify(arn)}`)
}

export function isFifo(arnOrUrl: string): boolean {
  return arnOrUrl.endsWith('.fifo')
}

/** URL of the queue that a redrive policy names; undefined: it names none. @param url of the queue that has the policy */
export function deadLetterTargetOf(policy: string | undefined, url: string): string | undefined {
  const parsed: unknown = JSON.parse(policy || '{}')
  const arn = isObject(parsed) ? parsed['deadLetterTargetArn'] : undefined
  return typeof arn === 'string' ? queueUrlOf(arn, url) : undefined
}
