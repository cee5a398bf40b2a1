import type { Alarm, Deployment, Role, Subscription, DeployedTopic } from '../deployment.ts'
import { readBuckets, readEventSources, readInvokers } from './readEvents.ts'
import { readFunctions, readMappings } from './readFunctions.ts'
import { readPolicies, readStatements } from './readPolicies.ts'
import { readQueues } from './readQueues.ts'
import { readTable } from './readTable.ts'
import {
  logicalId,
  asList,
  isOn,
  resourcesOf,
  type Template,
  resolveText,
  asValues,
} from './resolve.ts'

/**
 * Reads a CloudFormation template (parsed JSON), such as `osls package`, `cdk synth` and SAM make. `Ref`, `GetAtt`, `Sub`
 * and `Join` are followed; what is named in other stacks stays text.
 * @param options.tableName of the framework's table, default `lineclear`.
 * @throws TypeError when it is not a template.
 */
export function fromTemplate(
  template: unknown,
  { tableName = 'lineclear' }: { readonly tableName?: string } = {},
): Deployment {
  const read = templateOf(template)
  const table = readTable(read, tableName)
  return {
    functions: readFunctions(read),
    mappings: readMappings(read),
    queues: readQueues(read),
    topics: readTopics(read),
    subscriptions: readSubscriptions(read),
    ...(table === undefined ? {} : { table }),
    roles: readRoles(read),
    schedules: readSchedules(read),
    eventSources: readEventSources(read),
    invokers: readInvokers(read),
    buckets: readBuckets(read),
    alarms: readAlarms(read),
    unchecked: [],
  }
}

function templateOf(template: unknown): Template {
  const { Resources, Parameters } = asValues(template)
  if (typeof Resources !== 'object' || Resources === null) {
    throw new TypeError(
      'This is not a CloudFormation template: it has no Resources. Nothing was checked. Give the JSON that `osls package` or ' +
        '`cdk synth` writes.',
    )
  }
  const entries = Object.entries(Resources).map(([id, resource]) => {
    const { Type, Properties } = asValues(resource)
    return [id, { Type: String(Type), Properties: asValues(Properties) }] as const
  })
  return {
    Resources: Object.fromEntries(entries),
    Parameters: asValues(Parameters) as NonNullable<Template['Parameters']>,
  }
}

function readTopics(template: Template): DeployedTopic[] {
  return resourcesOf(template, 'AWS::SNS::Topic').map(([id, { FifoTopic }]) => ({
    id,
    kind: isOn(template, FifoTopic) ? 'fifo' : 'standard',
  }))
}

function readSubscriptions(template: Template): Subscription[] {
  return resourcesOf(template, 'AWS::SNS::Subscription')
    .filter(([, { Protocol }]) => Protocol === 'sqs')
    .map(([id, { TopicArn, Endpoint, RawMessageDelivery, RedrivePolicy }]) => {
      const target = asValues(RedrivePolicy)['deadLetterTargetArn']
      return {
        id,
        topic: logicalId(template, TopicArn),
        queue: logicalId(template, Endpoint),
        delivery: isOn(template, RawMessageDelivery) ? 'raw' : 'wrapped',
        ...(target === undefined ? {} : { deadLetter: logicalId(template, target) }),
      }
    })
}

function readRoles(template: Template): Role[] {
  const attached = readPolicies(template)
  return resourcesOf(template, 'AWS::IAM::Role').map(([id, { Policies }]) => ({
    id,
    statements: [
      ...asList(Policies).flatMap((policy) =>
        readStatements(template, asValues(policy)['PolicyDocument']),
      ),
      ...(attached.get(id) ?? []),
    ],
  }))
}

/** Rules of EventBridge with a schedule, and schedules of EventBridge Scheduler, that are not switched off. */
function readSchedules(template: Template): string[] {
  const rules = resourcesOf(template, 'AWS::Events::Rule')
    .filter(([, rule]) => rule['ScheduleExpression'] !== undefined)
    .map(([, rule]) => ({ state: rule['State'], targets: asList(rule['Targets']) }))
  const schedules = resourcesOf(template, 'AWS::Scheduler::Schedule').map(([, schedule]) => ({
    state: schedule['State'],
    targets: [schedule['Target']],
  }))
  return [...rules, ...schedules]
    .filter(({ state }) => state === undefined || resolveText(template, state) !== 'DISABLED')
    .flatMap(({ targets }) => targets.map((to) => logicalId(template, asValues(to)['Arn'])))
}

function readAlarms(template: Template): Alarm[] {
  return resourcesOf(template, 'AWS::CloudWatch::Alarm').map(([id, alarm]) => ({
    id,
    namespace: resolveText(template, alarm['Namespace'] ?? ''),
    metric: resolveText(template, alarm['MetricName'] ?? ''),
    of: asList(alarm['Dimensions']).map((of) => logicalId(template, asValues(of)['Value'])),
    missingData: resolveText(template, alarm['TreatMissingData'] ?? 'missing'),
    actions: asList(alarm['AlarmActions']).length,
  }))
}
