import type { DeployedBucket, EventSource, Invoker } from '../deployment.ts'
import { functionId } from './readFunctions.ts'
import {
  logicalId,
  resourcesOf,
  type Template,
  asList,
  asValues,
  numberOf,
  textOf,
  type Values,
} from './resolve.ts'

/** The rules of EventBridge and the buckets that put events on queues. */
export function readEventSources(template: Template): EventSource[] {
  const queues = new Set(resourcesOf(template, 'AWS::SQS::Queue').map(([id]) => id))
  const rules = rulesOf(template).flatMap(([id, { Targets }]) =>
    // With a role of its own, the target needs no policy of the queue.
    asList(Targets)
      .map(asValues)
      .filter(({ RoleArn }) => RoleArn === undefined)
      .map((target): EventSource => {
        const dead = asValues(target['DeadLetterConfig'])['Arn']
        return {
          id,
          service: 'events.amazonaws.com',
          queue: logicalId(template, target['Arn']),
          ...(dead !== undefined && { deadLetter: logicalId(template, dead) }),
        }
      }),
  )
  const buckets = notificationsOf(template, 'QueueConfigurations').map(
    ([id, { Queue }]): EventSource => ({
      id,
      service: 's3.amazonaws.com',
      queue: logicalId(template, Queue),
    }),
  )
  return [...rules, ...buckets].filter(({ queue }) => queues.has(queue))
}

/** What comes at a fixed rate is left out: after one that was lost, the next one comes. */
export function readInvokers(template: Template): Invoker[] {
  const isOnce = ({ ScheduleExpression }: Values): boolean =>
    !textOf(ScheduleExpression).startsWith('rate(')
  const rules = rulesOf(template)
    .filter(([, rule]) => isOnce(rule))
    .flatMap(([id, { Targets }]) => asList(Targets).map((to) => [id, asValues(to)['Arn']] as const))
  const schedules = resourcesOf(template, 'AWS::Scheduler::Schedule')
    .filter(([, schedule]) => isOnce(schedule))
    .map(([id, { Target }]) => [id, asValues(Target)['Arn']] as const)
  const topics = resourcesOf(template, 'AWS::SNS::Subscription')
    .filter(([, { Protocol }]) => Protocol === 'lambda')
    .map(([id, { Endpoint }]) => [id, Endpoint] as const)
  const buckets = notificationsOf(template, 'LambdaConfigurations').map(
    ([id, configuration]) => [id, configuration['Function']] as const,
  )
  return [...rules, ...schedules, ...topics, ...buckets].map(([id, to]) => ({
    id,
    function: functionId(template, to),
  }))
}

export function readBuckets(template: Template): DeployedBucket[] {
  return resourcesOf(template, 'AWS::S3::Bucket').map(([id, { LifecycleConfiguration }]) => ({
    id,
    expirations: asList(asValues(LifecycleConfiguration)['Rules'])
      .map(asValues)
      // What has further conditions spares some of the objects.
      .filter(({ Status, TagFilters }) => Status === 'Enabled' && TagFilters === undefined)
      .filter(({ ExpirationInDays }) => ExpirationInDays !== undefined)
      .map(({ Prefix, ExpirationInDays }) => ({
        prefix: Prefix === undefined ? '' : textOf(Prefix),
        days: numberOf(ExpirationInDays, Infinity) ?? Infinity,
      })),
  }))
}

function rulesOf(template: Template): readonly (readonly [string, Values])[] {
  return resourcesOf(template, 'AWS::Events::Rule').filter(([, { State }]) => State !== 'DISABLED')
}

/** Of the buckets themselves, and of what the CDK sets on them by a custom resource, in the words of the API of S3. */
function notificationsOf(
  template: Template,
  kind: 'QueueConfigurations' | 'LambdaConfigurations',
): readonly (readonly [string, Values])[] {
  const own = resourcesOf(template, 'AWS::S3::Bucket').map(
    ([id, { NotificationConfiguration }]) => [id, NotificationConfiguration] as const,
  )
  const custom = resourcesOf(template, CDK_NOTIFICATIONS).map(
    ([, { BucketName, NotificationConfiguration }]) =>
      [
        logicalId(template, BucketName),
        inTemplateWords(asValues(NotificationConfiguration)),
      ] as const,
  )
  return [...own, ...custom].flatMap(([id, configuration]) =>
    asList(asValues(configuration)[kind]).map((each) => [id, asValues(each)] as const),
  )
}

const CDK_NOTIFICATIONS = 'Custom::S3BucketNotifications'

function inTemplateWords({ QueueConfigurations, LambdaFunctionConfigurations }: Values): Values {
  return {
    QueueConfigurations: asList(QueueConfigurations).map((each) => ({
      Queue: asValues(each)['QueueArn'],
    })),
    LambdaConfigurations: asList(LambdaFunctionConfigurations).map((each) => ({
      Function: asValues(each)['LambdaFunctionArn'],
    })),
  }
}
