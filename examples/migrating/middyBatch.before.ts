import middyjs from '@middy/core'
import type { SQSEvent } from 'aws-lambda'
import { charge } from '../payments-api/payments.ts'
import { sqsPartialBatchFailure } from './sqsPartialBatchFailure.ts'

const takeOrder = async (body: string): Promise<void> => {
  const { cents } = JSON.parse(body) as { cents: number }
  await charge(cents)
}

export const handler = middyjs(({ Records }: SQSEvent) =>
  Promise.allSettled(Records.map(({ body }) => takeOrder(body))),
).use(sqsPartialBatchFailure())
