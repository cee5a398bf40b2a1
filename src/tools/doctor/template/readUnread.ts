import type { UnreadResource } from '../deployment.ts'
import { logicalId, resourcesOf, type Template, asValues, own, textOfValue } from './resolve.ts'
import type { Stack } from './stack.ts'

/** Resources that no rule looks at, although they may consume a queue or have one. */
export function readUnread(template: Template): UnreadResource[] {
  return [
    ...unconsumed(template),
    ...Object.entries(template.Resources)
      .filter(([, { Type }]) => CUSTOM.test(Type) && !HELPERS.test(Type))
      .map(([subject, { Type }]) => ({
        subject,
        why: `what it makes is not in the template (${Type})`,
        cure: 'If it makes queues, tables or mappings, check these as they are deployed: --queue QUEUE',
      })),
  ]
}

/** What makes resources that are not in the templates. */
export function unreadStacks(stacks: readonly Stack[]): UnreadResource[] {
  return [...stacks.flatMap(nestedStacks), ...stacks.flatMap(macros)]
}

const NESTED = ['AWS::CloudFormation::Stack', 'AWS::Serverless::Application']
const CUSTOM = /^(Custom::|AWS::CloudFormation::CustomResource$|AWS::CloudFormation::Macro$)/
/** What the CDK and osls make for themselves, which has nothing to do with queues. */
const HELPERS =
  /^Custom::(LogRetention|S3BucketNotifications|S3AutoDeleteObjects|CDK|VpcRestrict|ECRAutoDelete|ApiGatewayAccountRole|CrossRegion)/

function nestedStacks(stack: Stack): UnreadResource[] {
  return Object.entries(stack.resources)
    .filter(([id, { Type }]) => NESTED.includes(Type) && own(stack.nested, id) === undefined)
    .map(([id, { Type }]) => ({
      subject: `${stack.prefix}${id}`,
      why: `it is a nested stack (${Type}) whose template is not on this disk`,
      cure: 'Give that template with another --template',
    }))
}

/** A loop or a macro among the resources makes resources that the template does not show. */
function macros(stack: Stack): UnreadResource[] {
  return Object.keys(stack.resources)
    .filter((id) => id.startsWith('Fn::'))
    .map((id) => ({
      subject: `${stack.prefix}${id}`,
      why: 'it is a loop or a macro, and its resources are made at the deployment',
      cure: 'Give the processed template: aws cloudformation get-template --template-stage Processed',
    }))
}

/** The rules about a queue need its consumer; a queue of dead letters needs none. */
function unconsumed(template: Template): UnreadResource[] {
  const known = new Set([
    ...resourcesOf(template, 'AWS::Lambda::EventSourceMapping').map(([, { EventSourceArn }]) =>
      logicalId(template, EventSourceArn),
    ),
    ...Object.values(template.Resources)
      .flatMap(({ Properties }) => destinations(Properties))
      .map((target) => logicalId(template, target)),
  ])
  return resourcesOf(template, 'AWS::SQS::Queue')
    .filter(([id]) => !known.has(id))
    .map(([subject]) => ({
      subject,
      why: 'no function here consumes it',
      cure: 'Give the template of its consumer with another --template, if Lineclear consumes it',
    }))
}

const DESTINATIONS =
  /^(deadLetterTargetArn|DeadLetterConfig|DestinationConfig|OnFailureConfiguration|RedrivePolicy)$/

/** What a service puts into a queue that it could not deliver or process. */
function destinations(value: unknown, isTarget = false): unknown[] {
  if (typeof value !== 'object' || value === null) return isTarget ? [value] : []
  return Object.entries(value).flatMap(([key, each]) =>
    destinations(each, isTarget || DESTINATIONS.test(key)),
  )
}

export function isTemplate(body: unknown): boolean {
  const { Resources } = asValues(body)
  return typeof Resources === 'object' && Resources !== null && textOfValue(Resources) !== '[]'
}
