import type { Deployment, UnreadResource } from '../deployment.ts'
import {
  readBuckets,
  readEventSources,
  readFunctions,
  readInvokers,
  readMappings,
  readSchedules,
  readSubscribers,
} from './readFunctions.ts'
import { readRoles } from './readPolicies.ts'
import { readAlarms, readNames, readQueues, readSubscriptions, readTables } from './readTable.ts'
import { readUnread } from './readUnread.ts'
import { asValues, type Resource, resourcesOf, type Template } from './resolve.ts'
import { conditionHolds, knownOf, settle } from './settle.ts'
import type { Stack } from './stack.ts'

export interface Flat {
  readonly template: Template
  readonly unread: readonly UnreadResource[]
  /** Region of a resource's stack, by id, where it is known. */
  readonly regions: ReadonlyMap<string, string>
}

/** All resources of these stacks in one template without expressions. What its condition leaves out is listed. */
export function flatten(stacks: readonly Stack[]): Flat {
  const known = knownOf(stacks)
  const resources: [string, Resource][] = []
  const unread: UnreadResource[] = []
  const regions = new Map<string, string>()
  for (const stack of stacks) {
    for (const [name, { Type, Properties, condition }] of Object.entries(stack.resources)) {
      const id = `${stack.prefix}${name}`
      const present = condition === undefined ? true : conditionHolds(stack, known, condition)
      if (present === false) {
        if (CONCERNED.test(Type)) unread.push(leftOut(id, Type, condition ?? ''))
      } else {
        resources.push([
          id,
          { Type, Properties: asValues(settle(stack, known, { ...Properties })) },
        ])
        if (stack.region !== undefined) regions.set(id, stack.region)
      }
    }
  }
  return { template: { Resources: Object.fromEntries(resources) }, unread, regions }
}

/** Types of which rules examine every resource; of subscriptions, only those of queues. */
const CONCERNED =
  /^AWS::(SQS::|Lambda::(Function|EventSourceMapping)$|DynamoDB::|SNS::Topic$|EventsV2::Subscriber$|CloudWatch::Alarm$|IAM::Role$)/

function leftOut(subject: string, type: string, condition: string): UnreadResource {
  return {
    subject,
    why: `its condition ${condition} is false with these parameters (${type})`,
    cure: 'Check it with the values it is deployed with: --parameter NAME=VALUE',
  }
}

/** All resources of these parts as one deployment, in which each part sees the resources of the others. */
export function deploymentOf(
  parts: readonly Flat[],
  { tableName = 'lineclear' }: { readonly tableName?: string } = {},
): Deployment {
  const resources = parts.flatMap((part) => Object.entries(part.template.Resources))
  const template = { Resources: Object.fromEntries(resources) }
  const regions = new Map(parts.flatMap((part) => [...part.regions]))
  const inRegion = <T extends { readonly id: string }>(found: T): T => {
    const region = regions.get(found.id)
    return region === undefined ? found : { ...found, region }
  }
  const functions = readFunctions(template)
  const mappings = readMappings(template)
  const named = [
    ...functions.map(({ marks }) => marks.table),
    ...mappings.map(({ table }) => table),
  ]
  return {
    from: 'templates',
    functions: functions.map(inRegion),
    mappings,
    queues: readQueues(template).map(inRegion),
    topics: resourcesOf(template, 'AWS::SNS::Topic').map(([id]) => id),
    subscriptions: readSubscriptions(template),
    silentTopics: [],
    tables: readTables(template, tableName, new Set(named)).map(inRegion),
    roles: readRoles(template),
    schedules: readSchedules(template),
    eventSources: readEventSources(template),
    subscribers: readSubscribers(template),
    invokers: readInvokers(template),
    buckets: readBuckets(template),
    alarms: readAlarms(template),
    names: readNames(template),
    unchecked: [],
    unread: [...parts.flatMap((part) => part.unread), ...readUnread(template)],
  }
}
