import type {
  DeployedFunction,
  DeployedMapping,
  DeployedBucket,
  EventSource,
  Invoker,
  Subscriber,
} from '../deployment.ts'
import { readFunctionMarks, tableOfTags } from './readMarks.ts'
import {
  logicalId,
  resourcesOf,
  type Template,
  resourceType,
  asList,
  asValues,
  isOn,
  numberOf,
  textOfValue,
  type Values,
} from './resolve.ts'

export function readFunctions(template: Template): DeployedFunction[] {
  const destinations = new Map(
    resourcesOf(template, 'AWS::Lambda::EventInvokeConfig').map(([, config]) => [
      functionId(template, config['FunctionName']),
      asValues(asValues(config['DestinationConfig'])['OnFailure'])['Destination'],
    ]),
  )
  return resourcesOf(template, 'AWS::Lambda::Function').map(([id, properties]) => {
    const { Timeout, Role, RecursiveLoop, Runtime, DeadLetterConfig } = properties
    const onFailure = destinations.get(id) ?? asValues(DeadLetterConfig)['TargetArn']
    return {
      id,
      timeout: numberOf(Timeout, 3),
      recursiveLoop: RecursiveLoop === 'Allow' ? 'Allow' : 'Terminate',
      ...(Runtime === undefined ? {} : { runtime: textOfValue(Runtime) }),
      ...(Role === undefined ? {} : { role: logicalId(template, Role) }),
      ...(onFailure === undefined ? {} : { onFailure: logicalId(template, onFailure) }),
      ...computeTypeOf(properties),
      marks: readFunctionMarks(template, properties),
    }
  })
}

type ComputeType = Pick<DeployedFunction, 'instances' | 'durable' | 'vpc' | 'tenantIsolation'>

function computeTypeOf(properties: Values): ComputeType {
  const { CapacityProviderConfig, DurableConfig, TenancyConfig, VpcConfig } = properties
  const managed = asValues(CapacityProviderConfig)['LambdaManagedInstancesCapacityProviderConfig']
  const most = asValues(managed)['PerExecutionEnvironmentMaxConcurrency']
  const isIsolated = asValues(TenancyConfig)['TenantIsolationMode'] === 'PER_TENANT'
  return {
    ...(asList(managed).length > 0 && {
      instances: { concurrency: most === undefined ? 'default' : numberOf(most, 0) },
    }),
    ...(asList(DurableConfig).length > 0 && { durable: true }),
    ...(asList(asValues(VpcConfig)['SubnetIds']).length > 0 && { vpc: true }),
    ...(isIsolated && { tenantIsolation: true }),
  }
}

/** Reads mappings of queues only, because no rule concerns streams. */
export function readMappings(template: Template): DeployedMapping[] {
  return resourcesOf(template, 'AWS::Lambda::EventSourceMapping')
    .filter(([, { EventSourceArn }]) => mayBeQueue(template, EventSourceArn))
    .map(([id, mapping]) => mappingOf(template, id, mapping))
}

/** Whether the source of a mapping is a queue, or is elsewhere and not known to be something else. */
function mayBeQueue(template: Template, source: unknown): boolean {
  if (source === undefined) return false
  const id = logicalId(template, source)
  const type = resourceType(template, id)
  if (type !== undefined) return type === 'AWS::SQS::Queue' || /^(Custom::|AWS::CloudF)/.test(type)
  const [, service] = /^arn:[^:]*:([^:$]+):/.exec(id) ?? []
  return service === undefined || service === 'sqs'
}

function mappingOf(template: Template, id: string, mapping: Values): DeployedMapping {
  const { ScalingConfig, ProvisionedPollerConfig } = mapping
  const limit = asValues(ScalingConfig)['MaximumConcurrency'] ?? ProvisionedPollerConfig
  return {
    id,
    function: functionId(template, mapping['FunctionName']),
    queue: logicalId(template, mapping['EventSourceArn']),
    window: numberOf(mapping['MaximumBatchingWindowInSeconds'], 0),
    itemFailures: asList(mapping['FunctionResponseTypes']).includes('ReportBatchItemFailures')
      ? 'reported'
      : 'ignored',
    state: stateOf(mapping['Enabled']),
    scaling: limit === undefined ? 'open' : 'limited',
    filters: asList(asValues(mapping['FilterCriteria'])['Filters']).map((filter) =>
      textOfValue(asValues(filter)['Pattern']),
    ),
    ...tableOfTags(template, mapping['Tags']),
  }
}

function stateOf(enabled: unknown): DeployedMapping['state'] {
  if (enabled === undefined || enabled === null || isOn(enabled)) return 'enabled'
  return textOfValue(enabled) === 'false' ? 'disabled' : undefined
}

const QUALIFIED = ['AWS::Lambda::Alias', 'AWS::Lambda::Version']

/** The function itself, where an alias or a version of it is named. */
export function functionId(template: Template, value: unknown): string {
  const id = logicalId(template, value, 'lambda')
  if (QUALIFIED.includes(resourceType(template, id) ?? '')) {
    return logicalId(template, template.Resources[id]?.Properties['FunctionName'])
  }
  if (resourceType(template, id) !== undefined) return id
  // `<function>:<alias>`, as an ARN or as `Sub` makes it.
  const [, unqualified] = /^(.+):[^:]+$/.exec(id) ?? []
  const found = unqualified === undefined ? undefined : logicalId(template, unqualified, 'lambda')
  return found !== undefined && resourceType(template, found) === 'AWS::Lambda::Function'
    ? found
    : id
}

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
  const buckets = notified(template, TO_QUEUES).map(([id, to]): EventSource => {
    return { id, service: 's3.amazonaws.com', queue: logicalId(template, to) }
  })
  return [...rules, ...buckets].filter(({ queue }) => queues.has(queue))
}

/** The subscribers of Custom Event Buses that deliver to a queue or a function, or to what is not known. */
export function readSubscribers(template: Template): Subscriber[] {
  return resourcesOf(template, 'AWS::EventsV2::Subscriber')
    .map(([id, subscriber]): Subscriber => {
      const { InvokeConfiguration, OnFailureConfiguration, Transformer } = subscriber
      const dead = asValues(OnFailureConfiguration)['Arn']
      const { TargetArn, SqsParameters } = asValues(InvokeConfiguration)
      const isStamped =
        asValues(asValues(SqsParameters)['MessageAttributes'])['uniquerequestid'] !== undefined
      const isWhole = asValues(Transformer)['Type'] === 'WITH_METADATA'
      return {
        id,
        queue: functionId(template, TargetArn),
        ...(dead !== undefined && { deadLetter: logicalId(template, dead) }),
        identity: isStamped || isWhole ? 'delivered' : 'left out',
        batch: batchOf(subscriber),
      }
    })
    .filter(({ queue }) => {
      const type = resourceType(template, queue)
      if (type !== undefined) return /^AWS::(SQS::Queue|Lambda::Function)$/.test(type)
      return !/^arn:[^:]*:(?!sqs:|lambda:)[a-z0-9]+:/.test(queue)
    })
}

function batchOf({ BatchConfiguration }: Values): Subscriber['batch'] {
  const most = asValues(BatchConfiguration)['MaxBatchSize']
  const size = most === undefined ? 0 : numberOf(most, 0)
  if (size === undefined) return undefined
  return size === 1 ? 'one event' : 'several'
}

/** What is called by a rule with a schedule, or a schedule of EventBridge Scheduler, that is not switched off. */
export function readSchedules(template: Template): string[] {
  const rules = rulesOf(template)
    .filter(([, { ScheduleExpression }]) => ScheduleExpression !== undefined)
    .flatMap(([, { Targets }]) => asList(Targets))
  const schedules = resourcesOf(template, 'AWS::Scheduler::Schedule')
    .filter(([, { State }]) => State !== 'DISABLED')
    .map(([, { Target }]) => Target)
  return [...rules, ...schedules].map((to) => functionId(template, asValues(to)['Arn']))
}

/** What comes at a fixed rate is left out: after one that was lost, the next one comes. */
export function readInvokers(template: Template): Invoker[] {
  const isOnce = ({ ScheduleExpression }: Values): boolean =>
    !textOfValue(ScheduleExpression).startsWith('rate(')
  const rules = rulesOf(template)
    .filter(([, rule]) => isOnce(rule))
    .flatMap(([id, { Targets }]) => asList(Targets).map((to) => [id, asValues(to)['Arn']] as const))
  const schedules = resourcesOf(template, 'AWS::Scheduler::Schedule')
    .filter(([, schedule]) => isOnce(schedule))
    .map(([id, { Target }]) => [id, asValues(Target)['Arn']] as const)
  const topics = resourcesOf(template, 'AWS::SNS::Subscription')
    .filter(([, { Protocol }]) => Protocol === 'lambda')
    .map(([id, { Endpoint }]) => [id, Endpoint] as const)
  const buckets = notified(template, TO_FUNCTIONS)
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
        prefix: Prefix === undefined ? '' : textOfValue(Prefix),
        days: numberOf(ExpirationInDays, Infinity) ?? Infinity,
      })),
  }))
}

function rulesOf(template: Template): readonly (readonly [string, Values])[] {
  return resourcesOf(template, 'AWS::Events::Rule').filter(([, { State }]) => State !== 'DISABLED')
}

/** A list of a bucket's notifications, and what names the target in each: in a template, and in the API of S3. */
interface Notifications {
  readonly inTemplate: readonly [list: string, target: string]
  readonly inApi: readonly [list: string, target: string]
}

const TO_QUEUES: Notifications = {
  inTemplate: ['QueueConfigurations', 'Queue'],
  inApi: ['QueueConfigurations', 'QueueArn'],
}
const TO_FUNCTIONS: Notifications = {
  inTemplate: ['LambdaConfigurations', 'Function'],
  inApi: ['LambdaFunctionConfigurations', 'LambdaFunctionArn'],
}

/** Notifications of the buckets, and those that the CDK sets on them by a custom resource, in the words of the API. */
function notified(
  template: Template,
  { inTemplate, inApi }: Notifications,
): readonly (readonly [bucket: string, target: unknown])[] {
  const own = resourcesOf(template, 'AWS::S3::Bucket').map(
    ([id, { NotificationConfiguration }]) => [id, NotificationConfiguration, inTemplate] as const,
  )
  const custom = resourcesOf(template, 'Custom::S3BucketNotifications').map(
    ([, { BucketName, NotificationConfiguration }]) =>
      [logicalId(template, BucketName), NotificationConfiguration, inApi] as const,
  )
  return [...own, ...custom].flatMap(([id, configuration, [list, target]]) =>
    asList(asValues(configuration)[list]).map((each) => [id, asValues(each)[target]] as const),
  )
}
