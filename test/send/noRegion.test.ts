import { SNSClient } from '@aws-sdk/client-sns'
import { SQSClient } from '@aws-sdk/client-sqs'
import { producer } from 'lineclear'
import { expect, it, vi } from 'vitest'

const QUEUE = 'https://sqs.eu-west-1.amazonaws.com/123456789012/orders'
const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:orders'
/** As the SDK's own, which reads files of this machine before. */
const region = async (): Promise<string> => Promise.reject(new Error('Region is missing'))

it.each([
  ['SQS', () => producer({ clients: { sqs: new SQSClient({ region }) } }).send(QUEUE, 1)],
  ['SNS', () => producer({ clients: { sns: new SNSClient({ region }) } }).publish(TOPIC, 1)],
])(
  'a client of %s without a Region says where to give it, and has sent nothing',
  async (_, call) => {
    await expect(call()).rejects.toMatchObject({
      permanent: true,
      message: expect.stringMatching(/1 not sent, 0 sent \(.* has no Region.*set AWS_REGION/),
    })
  },
)

it('and so does the default client', async () => {
  for (const name of ['AWS_REGION', 'AWS_DEFAULT_REGION']) vi.stubEnv(name, undefined)
  for (const name of ['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE'])
    vi.stubEnv(name, '/dev/null')
  await expect(producer().send(QUEUE, 1)).rejects.toThrow(/has no Region.*set AWS_REGION/)
})
