import type { SQSRecord } from 'aws-lambda'

interface Facts {
  readonly consumer?: string | undefined
  readonly reason?: string | undefined
  readonly error?: string | undefined
  /** ARN of the queue from which SQS moved it. */
  readonly movedFrom?: string | undefined
}

/** A dead letter as it is received. */
export function sqsRecord({ movedFrom, ...carried }: Facts): SQSRecord {
  const lineclear = JSON.stringify({ format: 1, resendNumber: 0, hops: 0, death: 1, ...carried })
  const stringValue = { stringListValues: [], binaryListValues: [], dataType: 'String' }
  return {
    messageId: 'm1',
    receiptHandle: 'r',
    body: '{}',
    md5OfBody: '',
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: '0',
      SenderId: '',
      ApproximateFirstReceiveTimestamp: '0',
      ...(movedFrom !== undefined && { DeadLetterQueueSourceArn: movedFrom }),
    },
    messageAttributes: {
      uniquerequestid: { ...stringValue, stringValue: 'r1' },
      lineclear: { ...stringValue, stringValue: lineclear },
    },
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:eu-west-1:1:dead',
    awsRegion: 'eu-west-1',
  }
}
