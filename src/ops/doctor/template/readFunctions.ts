import type { DeployedFunction, DeployedMapping } from '../deployment.ts'
import {
  logicalId,
  asList,
  resolveNumber,
  resourcesOf,
  type Template,
  resolveText,
  type Values,
  asValues,
} from './resolve.ts'

/** Reads the functions, with the defaults of AWS. */
export function readFunctions(template: Template): DeployedFunction[] {
  const destinations = new Map(
    resourcesOf(template, 'AWS::Lambda::EventInvokeConfig').map(([, config]) => [
      logicalId(template, config['FunctionName']),
      asValues(asValues(config['DestinationConfig'])['OnFailure'])['Destination'],
    ]),
  )
  return resourcesOf(template, 'AWS::Lambda::Function').map(
    ([id, { Timeout, Role, RecursiveLoop, DeadLetterConfig }]) => {
      const onFailure = destinations.get(id) ?? asValues(DeadLetterConfig)['TargetArn']
      return {
        id,
        timeout: resolveNumber(template, Timeout, 3),
        recursiveLoop: RecursiveLoop === 'Allow' ? 'Allow' : 'Terminate',
        ...(Role === undefined ? {} : { role: logicalId(template, Role) }),
        ...(onFailure === undefined ? {} : { onFailure: logicalId(template, onFailure) }),
      }
    },
  )
}

/** Reads mappings of queues only, because no rule concerns streams. */
export function readMappings(template: Template): DeployedMapping[] {
  const queues = new Set(resourcesOf(template, 'AWS::SQS::Queue').map(([id]) => id))
  return resourcesOf(template, 'AWS::Lambda::EventSourceMapping')
    .map(([id, mapping]) => mappingOf(template, id, mapping))
    .filter(({ queue }) => queues.has(queue) || queue.includes(':sqs:'))
}

function mappingOf(template: Template, id: string, mapping: Values): DeployedMapping {
  const most = asValues(mapping['ScalingConfig'])['MaximumConcurrency']
  return {
    id,
    function: logicalId(template, mapping['FunctionName']),
    queue: logicalId(template, mapping['EventSourceArn']),
    batchSize: resolveNumber(template, mapping['BatchSize'], 10),
    window: resolveNumber(template, mapping['MaximumBatchingWindowInSeconds'], 0),
    itemFailures: asList(mapping['FunctionResponseTypes']).includes('ReportBatchItemFailures')
      ? 'reported'
      : 'ignored',
    pollers: mapping['ProvisionedPollerConfig'] === undefined ? 'on demand' : 'provisioned',
    filters: asList(asValues(mapping['FilterCriteria'])['Filters']).map((filter) =>
      resolveText(template, asValues(filter)['Pattern']),
    ),
    ...(most === undefined ? {} : { maximumConcurrency: resolveNumber(template, most, 0) }),
  }
}
