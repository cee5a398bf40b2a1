import type { Alarm, Deployment, Role, Subscription, Topic } from '../deployment.ts'
import { readFunctions, readMappings } from './readFunctions.ts'
import { readPolicies, readStatements } from './readPolicies.ts'
import { readQueues } from './readQueues.ts'
import { readTable } from './readTable.ts'
import { idOf, listOf, isOn, resourcesOf, type Template, textOf, valuesOf } from './resolve.ts'

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
    alarms: readAlarms(read),
    unseen: [],
  }
}

function templateOf(template: unknown): Template {
  const { Resources, Parameters } = valuesOf(template)
  if (typeof Resources !== 'object' || Resources === null) {
    throw new TypeError(
      'This is no CloudFormation template: it has no Resources. Nothing was checked. Give the JSON that `osls package` or ' +
        '`cdk synth` writes.',
    )
  }
  const entries = Object.entries(Resources).map(([id, resource]) => {
    const { Type, Properties } = valuesOf(resource)
    return [id, { Type: String(Type), Properties: valuesOf(Properties) }] as const
  })
  return {
    Resources: Object.fromEntries(entries),
    Parameters: valuesOf(Parameters) as NonNullable<Template['Parameters']>,
  }
}

function readTopics(template: Template): Topic[] {
  return resourcesOf(template, 'AWS::SNS::Topic').map(([id, { FifoTopic }]) => ({
    id,
    kind: isOn(template, FifoTopic) ? 'fifo' : 'standard',
  }))
}

function readSubscriptions(template: Template): Subscription[] {
  return resourcesOf(template, 'AWS::SNS::Subscription')
    .filter(([, { Protocol }]) => Protocol === 'sqs')
    .map(([id, { TopicArn, Endpoint, RawMessageDelivery, RedrivePolicy }]) => {
      const target = valuesOf(RedrivePolicy)['deadLetterTargetArn']
      return {
        id,
        topic: idOf(template, TopicArn),
        queue: idOf(template, Endpoint),
        delivery: isOn(template, RawMessageDelivery) ? 'raw' : 'wrapped',
        ...(target === undefined ? {} : { deadLetter: idOf(template, target) }),
      }
    })
}

function readRoles(template: Template): Role[] {
  const attached = readPolicies(template)
  return resourcesOf(template, 'AWS::IAM::Role').map(([id, { Policies }]) => ({
    id,
    statements: [
      ...listOf(Policies).flatMap((policy) =>
        readStatements(template, valuesOf(policy)['PolicyDocument']),
      ),
      ...(attached.get(id) ?? []),
    ],
  }))
}

function readAlarms(template: Template): Alarm[] {
  return resourcesOf(template, 'AWS::CloudWatch::Alarm').map(([id, alarm]) => ({
    id,
    namespace: textOf(template, alarm['Namespace'] ?? ''),
    metric: textOf(template, alarm['MetricName'] ?? ''),
    of: listOf(alarm['Dimensions']).map((of) => idOf(template, valuesOf(of)['Value'])),
    missingData: textOf(template, alarm['TreatMissingData'] ?? 'missing'),
    actions: listOf(alarm['AlarmActions']).length,
  }))
}
