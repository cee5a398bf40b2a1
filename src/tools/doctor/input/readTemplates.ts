import type { Deployment } from '../deployment.ts'
import { expandSam, takenNames } from '../sam/expandSam.ts'
import { flattenPlan } from '../terraform/flattenPlan.ts'
import { type Flat, flatten } from '../template/flatten.ts'
import {
  readAlarms,
  readSchedules,
  readQueues,
  readSubscriptions,
  readTopics,
  readTable,
} from '../template/readTable.ts'
import {
  readBuckets,
  readEventSources,
  readInvokers,
  readFunctions,
  readMappings,
} from '../template/readFunctions.ts'
import { readRoles } from '../template/readPolicies.ts'
import { isTemplate, readUnread, unreadStacks } from '../template/readUnread.ts'
import { type SourceTemplate, stackOf, withNested } from '../template/stack.ts'

export interface TemplateOptions {
  /** Of the framework's table, default `lineclear`. */
  readonly tableName?: string
}

/**
 * Reads one CloudFormation template, as `fromTemplates` does.
 * @throws TypeError when it is not a template.
 */
export function fromTemplate(template: unknown, options: TemplateOptions = {}): Deployment {
  return fromTemplates([{ name: '', body: template }], options)
}

/**
 * Reads CloudFormation templates that are deployed together: as they are written, with SAM, or as `osls package`, `cdk synth` and
 * `sam build` make them. Functions of CloudFormation are computed from parameters, conditions and mappings, across nested stacks
 * and exports; what is in none of these templates stays text.
 * @throws TypeError when one is not a template.
 */
export function fromTemplates(
  sources: readonly SourceTemplate[],
  options: TemplateOptions = {},
): Deployment {
  return deploymentOf([flatStacks(sources)], options)
}

/** @throws TypeError when one is not a template. */
export function flatStacks(sources: readonly SourceTemplate[]): Flat {
  for (const { body } of sources) {
    if (!isTemplate(body)) {
      throw new TypeError('This is not a CloudFormation template: it has no Resources.')
    }
  }
  const stacks = sources.flatMap((source) => withNested(stackOf(source, expandSam)))
  const flat = flatten(stacks)
  return {
    ...flat,
    unread: [...flat.unread, ...unreadStacks(stacks)],
    takenNames: sources.flatMap(takenNames),
  }
}

/** All resources of these parts as one deployment, in which each part sees the resources of the others. */
export function deploymentOf(
  parts: readonly Flat[],
  { tableName = 'lineclear' }: TemplateOptions = {},
): Deployment {
  const resources = parts.flatMap((part) => Object.entries(part.template.Resources))
  const template = { Resources: Object.fromEntries(resources) }
  const regions = new Map(parts.flatMap((part) => [...part.regions]))
  const table = readTable(template, tableName)
  const inRegion = <T extends { readonly id: string }>(found: T): T => {
    const region = regions.get(found.id)
    return region === undefined ? found : { ...found, region }
  }
  return {
    from: 'templates',
    functions: readFunctions(template).map(inRegion),
    mappings: readMappings(template),
    queues: readQueues(template).map(inRegion),
    topics: readTopics(template),
    subscriptions: readSubscriptions(template),
    ...(table === undefined ? {} : { table: inRegion(table) }),
    roles: readRoles(template),
    schedules: readSchedules(template),
    eventSources: readEventSources(template),
    invokers: readInvokers(template),
    buckets: readBuckets(template),
    alarms: readAlarms(template),
    takenNames: parts.flatMap((part) => part.takenNames ?? []),
    unchecked: [],
    unread: [...parts.flatMap((part) => part.unread), ...readUnread(template)],
  }
}

/**
 * Reads a plan or a state of Terraform, as `terraform show -json` prints it. A plan shows what refers to what, and policies only
 * where they are known before they are applied.
 */
export function fromTerraform(json: unknown, options: TemplateOptions = {}): Deployment {
  return deploymentOf([flattenPlan(json, '')], options)
}
