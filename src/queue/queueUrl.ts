import { ConfigError } from '../errors.ts'

/**
 * The URL of a queue from its ARN: no GetQueueUrl call, no permission for one. A sibling's URL, when known, gives host and
 * account as they are here; else the public endpoint of the region.
 */
export function queueUrlOf(arn: string, sibling?: string): string {
  const [, partition, service, region, account, name] = arn.split(':')
  if (service !== 'sqs' || !region || !account || !name) {
    throw new ConfigError(`expected the ARN of an SQS queue, got ${JSON.stringify(arn)}`)
  }
  if (sibling !== undefined) return sibling.replace(/[^/]+$/, name)
  const domain = partition === 'aws-cn' ? 'amazonaws.com.cn' : 'amazonaws.com'
  return `https://sqs.${region}.${domain}/${account}/${name}`
}

export function isFifo(arnOrUrl: string): boolean {
  return arnOrUrl.endsWith('.fifo')
}

/** `account/name`: one queue has several URLs, such as a legacy, a FIPS and a dual-stack one. */
export function queuePath(url: string): string {
  return url.split('/').slice(-2).join('/')
}
