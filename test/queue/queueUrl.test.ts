import { ConfigError } from 'lineclear'
import { describe, expect, it } from 'vitest'
import { queueUrlOf } from '../../src/queue/queueUrl.ts'

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
