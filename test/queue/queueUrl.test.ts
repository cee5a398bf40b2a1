import { SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs'
import { ConfigError } from 'lineclear'
import { describe, expect, it } from 'vitest'
import { queueUrlFor, queueUrlOf } from '../../src/queue/queueUrl.ts'

describe('queueUrlOf', () => {
  it.each([
    [
      'arn:aws:sqs:eu-west-1:123456789012:orders',
      'https://sqs.eu-west-1.amazonaws.com/123456789012/orders',
    ],
    [
      'arn:aws-cn:sqs:cn-north-1:123456789012:o.fifo',
      'https://sqs.cn-north-1.amazonaws.com.cn/123456789012/o.fifo',
    ],
    ['arn:aws-us-gov:sqs:us-gov-west-1:1:q', 'https://sqs.us-gov-west-1.amazonaws.com/1/q'],
    ['arn:aws-eusc:sqs:eusc-de-east-1:1:q', 'https://sqs.eusc-de-east-1.amazonaws.eu/1/q'],
    ['arn:aws-iso:sqs:us-iso-east-1:1:q', 'https://sqs.us-iso-east-1.c2s.ic.gov/1/q'],
    ['arn:aws-iso-b:sqs:us-isob-east-1:1:q', 'https://sqs.us-isob-east-1.sc2s.sgov.gov/1/q'],
    ['arn:aws-iso-e:sqs:eu-isoe-west-1:1:q', 'https://sqs.eu-isoe-west-1.cloud.adc-e.uk/1/q'],
    ['arn:aws-iso-f:sqs:us-isof-south-1:1:q', 'https://sqs.us-isof-south-1.csp.hci.ic.gov/1/q'],
  ])('makes the URL of %s', (arn, url) => {
    expect(queueUrlOf(arn)).toBe(url)
  })

  it('stays beside a queue whose URL is known', () => {
    const url = queueUrlOf(
      'arn:aws:sqs:eu-west-1:1:dead',
      'http://127.0.0.1:4566/000000000000/orders',
    )
    expect(url).toBe('http://127.0.0.1:4566/000000000000/dead')
  })

  it.each(['', 'orders', 'arn:aws:sns:eu-west-1:1:t', 'arn:aws:sqs:::x'])('refuses %j', (arn) => {
    expect(() => queueUrlOf(arn)).toThrow(ConfigError)
  })
})

describe('queueUrlFor', () => {
  const arn = (partition: string, region: string) => `arn:${partition}:sqs:${region}:1:q`
  const client = (options: SQSClientConfig) => new SQSClient(options)

  it.each([
    ['its region', { region: 'us-east-1' }, 'https://sqs.eu-west-1.amazonaws.com/1/q'],
    ['FIPS', { useFipsEndpoint: true }, 'https://sqs-fips.eu-west-1.amazonaws.com/1/q'],
    ['dual stack', { useDualstackEndpoint: true }, 'https://sqs.eu-west-1.api.aws/1/q'],
    ['its endpoint', { endpoint: 'http://127.0.0.1:4566' }, 'http://127.0.0.1:4566/1/q'],
    ['a VPC endpoint', { endpoint: 'https://vpce-1.example' }, 'https://vpce-1.example/1/q'],
  ])('stays where the client is: %s', async (_, options, url) => {
    const queue = arn('aws', 'eu-west-1')
    expect(await queueUrlFor(queue, client({ region: 'eu-west-1', ...options }))).toBe(url)
  })

  it.each([
    ['aws-cn', 'cn-north-1'],
    ['aws-us-gov', 'us-gov-west-1'],
    ['aws-eusc', 'eusc-de-east-1'],
    ['aws-iso', 'us-iso-east-1'],
    ['aws-iso-b', 'us-isob-east-1'],
    ['aws-iso-e', 'eu-isoe-west-1'],
    ['aws-iso-f', 'us-isof-south-1'],
  ])('in %s the SDK and the table of domains agree', async (partition, region) => {
    const queue = arn(partition, region)
    expect(await queueUrlFor(queue, client({ region }))).toBe(queueUrlOf(queue))
  })

  it('a URL stays as it is', async () => {
    const url = 'http://127.0.0.1:4566/000000000000/orders'
    expect(await queueUrlFor(url, client({ region: 'eu-west-1' }))).toBe(url)
  })
})
