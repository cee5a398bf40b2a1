import { arnOf } from './consumer.ts'
import { onlyTls } from './onlyTls.ts'

/** Lets one topic, rule or bucket send to a queue, and no other source of its service; all of it over TLS. */
export function policy(queue: string, service: string, source: unknown): object {
  const statement = {
    Effect: 'Allow',
    Principal: { Service: service },
    Action: 'sqs:SendMessage',
    Resource: arnOf(queue),
    Condition: {
      ArnEquals: { 'aws:SourceArn': source },
      // The ARN of a bucket names no account: a bucket of that name may be another's, once yours is deleted.
      ...(service === 's3.amazonaws.com' && {
        StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } },
      }),
    },
  }
  return {
    Type: 'AWS::SQS::QueuePolicy',
    Properties: {
      Queues: [{ Ref: queue }],
      PolicyDocument: {
        Version: '2012-10-17',
        Statement: [statement, onlyTls('sqs', arnOf(queue))],
      },
    },
  }
}
