import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs'
import { ConfigError } from 'lineclear'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { awsMessenger } from '../../src/library/adapters/send/awsMessenger.ts'
import { queueUrlOf } from '../../src/library/protocol/send/queueUrl.ts'
import { queueUrlFor } from '../../src/library/adapters/send/queueHost.ts'

afterEach(() => vi.unstubAllEnvs())

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

  it.each([
    ['https://sqs.eu-west-1.amazonaws.com/1/q', {}],
    ['https://sqs.us-east-1.amazonaws.com/1/q', {}],
    ['https://sqs-fips.us-east-1.amazonaws.com/1/q', {}],
    ['https://sqs.eu-west-1.api.aws/1/q', {}],
    ['https://vpce-0a1b-2c3d.sqs.eu-west-1.vpce.amazonaws.com/1/q', {}],
    ['https://eu-west-1.queue.amazonaws.com/1/q', {}],
    ['https://queue.amazonaws.com/1/q', {}],
    ['https://sqs.cn-north-1.amazonaws.com.cn/1/q', {}],
    ['http://127.0.0.1:4566/1/q', { endpoint: 'http://127.0.0.1:4566' }],
    ['http://sqs:9324/1/q', { endpoint: 'http://127.0.0.1:9324' }],
    ['https://evil.example/1/q', { useQueueUrlAsEndpoint: false }],
  ])('a URL stays as it is: %s', async (url, options) => {
    expect(await queueUrlFor(url, client({ region: 'eu-west-1', ...options }))).toBe(url)
  })

  it.each([
    'https://evil.example/1/q',
    'http://169.254.169.254/1/q',
    'http://127.0.0.1:9001/1/q',
    'http://sqs.eu-west-1.amazonaws.com/1/q',
    'https://sqs.eu-west-1.amazonaws.com.evil.example/1/q',
    'https://sqs.eu-west-1.amazonaws.com@evil.example/1/q',
    'https://sqs.eu-west-1.amazonaws.com:8443/1/q',
    'https://evil.example/sqs.eu-west-1.amazonaws.com/q',
    'https://sqs-evil.s3.eu-west-1.amazonaws.com/1/q',
    'https://abc.execute-api.eu-west-1.amazonaws.com/1/q',
    'https://evil.queue.example/1/q',
    'no URL',
  ])('a URL that a client would follow away from SQS is refused: %s', async (url) => {
    await expect(queueUrlFor(url, client({ region: 'eu-west-1' }))).rejects.toThrow(
      /has the host of neither SQS nor this client/,
    )
  })

  it('an endpoint of the environment counts as the own one, also after the first call', async () => {
    vi.stubEnv('AWS_ENDPOINT_URL_SQS', 'http://localhost.localstack.cloud:4566')
    const sqs = client({ region: 'eu-west-1' })
    const own = 'http://sqs.eu-west-1.localhost.localstack.cloud:4566/1/q'
    const later = client({
      region: 'eu-west-1',
      endpoint: 'http://localhost.localstack.cloud:4566',
    })
    for (const each of [sqs, later]) {
      expect(await queueUrlFor(own, each)).toBe(own)
      for (const url of [
        'http://evil.example:4566/1/q',
        'http://evillocalhost.localstack.cloud:4566/1/q',
      ]) {
        await expect(queueUrlFor(url, each)).rejects.toThrow(/neither SQS/)
      }
    }
  })

  it('a client with an endpoint of its own calls that one, also beside one of the environment', async () => {
    vi.stubEnv('AWS_ENDPOINT_URL', 'http://127.0.0.1:4566')
    const sqs = client({ region: 'eu-west-1', endpoint: 'http://127.0.0.1:4577' })
    const url = 'http://sqs.eu-west-1.localhost:4577/1/q'
    expect(await queueUrlFor(url, sqs)).toBe(url)
  })
})

it('a client of the user sends nothing to a host that a row names', async () => {
  let calls = 0
  const server = createServer((_, response) => {
    calls += 1
    response.end('{}')
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b', sessionToken: 'secret' }
  const sqs = new SQSClient({ region: 'eu-west-1', credentials, maxAttempts: 1 })
  const message = { body: '{}', attributes: {} }
  const [outcome] = await awsMessenger({ sqs }).send(`http://127.0.0.1:${port}/1/q`, [message])
  expect(outcome?.message).toMatch(/neither SQS nor this client/)
  expect(calls).toBe(0)
  await new Promise((closed) => server.close(closed))
})
