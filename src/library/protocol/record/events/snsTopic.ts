import { wrongOption } from '../../../base/options.ts'
import type { TopicFormat } from '../envelope/envelope.ts'

const ARN = /^arn:[^:]+:sns:/

/**
 * For the option `envelopes`: unwraps the notifications of these topics, so that the payload is what was published, with its
 * attributes and its `uniquerequestid`. A notification of another topic remains payload, because a body that only looks like a
 * notification could choose its own id. `'any'` trusts every sender to the queue. Raw message delivery needs none of this.
 * @throws ConfigError when what is given is no ARN of a topic
 * @example
 * export const handler = recordHandler(
 *   { name: 'orders', store, envelopes: [snsTopic(process.env['TOPIC_ARN'] ?? '')] },
 *   async (order, ctx) => {},
 * )
 */
export function snsTopic(...topics: readonly [string, ...string[]]): TopicFormat {
  const given: readonly unknown[] = topics
  if (given.length === 1 && given[0] === 'any') return { topics: 'any' }
  const isArn = (topic: unknown): boolean => typeof topic === 'string' && ARN.test(topic)
  if (given.length > 0 && given.every(isArn)) return { topics }
  const wrong = given.find((topic) => !isArn(topic))
  const expected = "the ARN of a topic (is its environment variable set?), or 'any' alone"
  throw wrongOption('snsTopic', 'topics', expected, wrong)
}
