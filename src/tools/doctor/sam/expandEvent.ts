import { asValues, isOn, type Values } from '../template/resolve.ts'

/** An entry of a function's `Events`. */
export interface SamEvent {
  readonly function: string
  readonly name: string
  readonly type: string
  readonly properties: Values
}

export type Resources = Readonly<Record<string, Values>>

/** The resources of an event, under the names that the transform of SAM gives them. */
export function expandEvent(event: SamEvent): Resources {
  const make = EVENTS.get(event.type)
  return make === undefined ? {} : make(event)
}

const EVENTS: ReadonlyMap<string, (event: SamEvent) => Resources> = new Map([
  ['SQS', mapping],
  ['SNS', topic],
  ['Schedule', schedule],
  ['ScheduleV2', scheduler],
  ['EventBridgeRule', rule],
  ['CloudWatchEvent', rule],
])

/** One resource, under the name of the event. */
function made({ function: id, name }: SamEvent, Type: string, Properties: Values): Resources {
  return { [`${id}${name}`]: { Type, Properties } }
}

function mapping(event: SamEvent): Resources {
  return made(event, 'AWS::Lambda::EventSourceMapping', {
    ...event.properties,
    EventSourceArn: event.properties['Queue'],
    FunctionName: { Ref: event.function },
  })
}

function topic(event: SamEvent): Resources {
  const { Topic, SqsSubscription, FilterPolicy, FilterPolicyScope, RedrivePolicy } =
    event.properties
  const id = `${event.function}${event.name}`
  const shared = { TopicArn: Topic, FilterPolicy, FilterPolicyScope, RedrivePolicy }
  if (SqsSubscription === undefined || (typeof SqsSubscription === 'boolean' && !SqsSubscription)) {
    const Endpoint = { 'Fn::GetAtt': [event.function, 'Arn'] }
    return { [id]: subscription({ ...shared, Protocol: 'lambda', Endpoint }) }
  }
  const own = isOn(SqsSubscription)
  const { QueueArn, BatchSize } = asValues(SqsSubscription)
  const queue = own ? { 'Fn::GetAtt': [`${id}Queue`, 'Arn'] } : QueueArn
  return {
    [id]: subscription({ ...shared, Protocol: 'sqs', Endpoint: queue }),
    ...(own ? { [`${id}Queue`]: { Type: 'AWS::SQS::Queue', Properties: {} } } : {}),
    [`${id}QueuePolicy`]: queuePolicy(queue, Topic),
    [`${id}EventSourceMapping`]: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: { EventSourceArn: queue, FunctionName: { Ref: event.function }, BatchSize },
    },
  }
}

function subscription(properties: Values): Values {
  return { Type: 'AWS::SNS::Subscription', Properties: properties }
}

function queuePolicy(queue: unknown, from: unknown): Values {
  const Statement = {
    Effect: 'Allow',
    Principal: { Service: 'sns.amazonaws.com' },
    Action: 'sqs:SendMessage',
    Resource: queue,
    Condition: { ArnEquals: { 'aws:SourceArn': from } },
  }
  return {
    Type: 'AWS::SQS::QueuePolicy',
    Properties: { Queues: [queue], PolicyDocument: { Statement: [Statement] } },
  }
}

function schedule(event: SamEvent): Resources {
  const { Schedule: ScheduleExpression, Enabled } = event.properties
  const off = Enabled !== undefined && !isOn(Enabled) ? { State: 'DISABLED' } : {}
  return eventRule(event, { ScheduleExpression, ...off })
}

function scheduler(event: SamEvent): Resources {
  return made(event, 'AWS::Scheduler::Schedule', { ...event.properties, Target: targetOf(event) })
}

function rule(event: SamEvent): Resources {
  return eventRule(event, { EventPattern: event.properties['Pattern'] })
}

function eventRule(event: SamEvent, own: Values): Resources {
  const Targets = [targetOf(event)]
  return made(event, 'AWS::Events::Rule', { ...event.properties, ...own, Targets })
}

function targetOf({ function: id, properties }: SamEvent): Values {
  const { DeadLetterConfig } = properties
  return {
    Arn: { 'Fn::GetAtt': [id, 'Arn'] },
    ...(DeadLetterConfig !== undefined && { DeadLetterConfig }),
  }
}
