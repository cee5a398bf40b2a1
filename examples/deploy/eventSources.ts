import { arnOf, type Consumer, pascal } from './consumer.ts'
import { policy } from './policy.ts'
import { deadLetters } from './queues.ts'

/** What lets a rule of EventBridge, or a bucket, send to the queue of a consumer. */
export function eventSourcesOf({ name, rule, bucket }: Consumer): Record<string, unknown> {
  const id = pascal(name)
  if (rule !== undefined) {
    return {
      // What the rule cannot deliver goes to a queue of its own.
      [`${id}Undelivered`]: deadLetters({}),
      [`${id}QueuePolicy`]: policy(`${id}Queue`, 'events.amazonaws.com', arnOf(rule)),
      [`${id}UndeliveredPolicy`]: policy(`${id}Undelivered`, 'events.amazonaws.com', arnOf(rule)),
    }
  }
  if (bucket === undefined) return {}
  // By name: the bucket needs the policy before it is made, because S3 sends its test event then.
  const arn = { 'Fn::Sub': `arn:\${AWS::Partition}:s3:::${bucket}` }
  return { [`${id}QueuePolicy`]: policy(`${id}Queue`, 's3.amazonaws.com', arn) }
}
