import type { DeployedFunction, Mapping } from '../deployment.ts'
import {
  idOf,
  listOf,
  numberOf,
  resourcesOf,
  type Template,
  textOf,
  type Values,
  valuesOf,
} from './resolve.ts'

/** Defaults are those of AWS. */
export function readFunctions(template: Template): DeployedFunction[] {
  return resourcesOf(template, 'AWS::Lambda::Function').map(
    ([id, { Timeout, Role, RecursiveLoop }]) => ({
      id,
      timeout: numberOf(template, Timeout, 3),
      recursiveLoop: RecursiveLoop === 'Allow' ? 'Allow' : 'Terminate',
      ...(Role === undefined ? {} : { role: idOf(template, Role) }),
    }),
  )
}

/** Mappings of queues only: streams have none of the rules. */
export function readMappings(template: Template): Mapping[] {
  const queues = new Set(resourcesOf(template, 'AWS::SQS::Queue').map(([id]) => id))
  return resourcesOf(template, 'AWS::Lambda::EventSourceMapping')
    .map(([id, mapping]) => mappingOf(template, id, mapping))
    .filter(({ queue }) => queues.has(queue) || queue.includes(':sqs:'))
}

function mappingOf(template: Template, id: string, mapping: Values): Mapping {
  const most = valuesOf(mapping['ScalingConfig'])['MaximumConcurrency']
  return {
    id,
    function: idOf(template, mapping['FunctionName']),
    queue: idOf(template, mapping['EventSourceArn']),
    batchSize: numberOf(template, mapping['BatchSize'], 10),
    window: numberOf(template, mapping['MaximumBatchingWindowInSeconds'], 0),
    itemFailures: listOf(mapping['FunctionResponseTypes']).includes('ReportBatchItemFailures')
      ? 'reported'
      : 'ignored',
    pollers: mapping['ProvisionedPollerConfig'] === undefined ? 'on demand' : 'provisioned',
    filters: listOf(valuesOf(mapping['FilterCriteria'])['Filters']).map((filter) =>
      textOf(template, valuesOf(filter)['Pattern']),
    ),
    ...(most === undefined ? {} : { maximumConcurrency: numberOf(template, most, 0) }),
  }
}
