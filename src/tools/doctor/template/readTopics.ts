import type { DeployedTopic, Subscription } from '../deployment.ts'
import { logicalId, resourcesOf, type Template } from './resolve.ts'
import { asList, asValues, isOn, jsonOf, textOf } from './values.ts'

export function readTopics(template: Template): DeployedTopic[] {
  return resourcesOf(template, 'AWS::SNS::Topic').map(([id, { FifoTopic }]) => ({
    id,
    kind: isOn(FifoTopic) ? 'fifo' : 'standard',
  }))
}

/** Those of queues. They are resources of their own, or listed by their topic. */
export function readSubscriptions(template: Template): Subscription[] {
  const listed = resourcesOf(template, 'AWS::SNS::Topic').flatMap(([id, { Subscription: list }]) =>
    asList(list).map(
      (each, at) => [`${id}.${at + 1}`, { ...asValues(each), TopicArn: id }] as const,
    ),
  )
  return [...resourcesOf(template, 'AWS::SNS::Subscription'), ...listed]
    .map(([id, subscription]) => [id, asValues(subscription)] as const)
    .filter(([, { Protocol }]) => textOf(Protocol) === 'sqs')
    .map(([id, { TopicArn, Endpoint, RawMessageDelivery, RedrivePolicy }]) => {
      const target = asValues(jsonOf(RedrivePolicy))['deadLetterTargetArn']
      return {
        id,
        topic: logicalId(template, TopicArn),
        queue: logicalId(template, Endpoint),
        delivery: isOn(RawMessageDelivery) ? 'raw' : 'wrapped',
        ...(target === undefined ? {} : { deadLetter: logicalId(template, target) }),
      }
    })
}
