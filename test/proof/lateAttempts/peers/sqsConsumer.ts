import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { Consumer } from 'sqs-consumer'
import { until } from '../stage.ts'
import type { Peer } from './peer.ts'

/** Two processes on one queue. */
export const sqsConsumer: Peer = {
  name: 'sqs-consumer',
  packages: ['sqs-consumer'],
  better: 'runs anywhere, and needs no table',
  key: 'none',
  play: async ({ name, cloud, attempt, goOn, begun }) => {
    const queueUrl = cloud.queueUrl(name)
    const send = new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: name })
    await cloud.sqs.send(send)
    let failed = 0
    const consumers = [1, 2].map(() => {
      const consumer = Consumer.create({
        queueUrl,
        sqs: cloud.sqs,
        waitTimeSeconds: 1,
        handleMessage: async (message) => {
          await attempt()
          return message
        },
      })
      consumer.on('error', () => {})
      consumer.on('processing_error', () => void (failed += 1))
      consumer.start()
      return consumer
    })
    const isEmpty = async (): Promise<boolean> => {
      const { ready, delayed, inFlight } = await cloud.queueDepth(name)
      return ready + delayed + inFlight === 0
    }
    await until(async () => begun() > 1 && (await isEmpty()))
    goOn()
    await until(() => failed > 0)
    await cloud.sqs.send(send)
    await until(isEmpty)
    for (const consumer of consumers) consumer.stop()
    await until(() => consumers.every(({ status }) => !status.isRunning))
  },
}
