import { asValues, textOf, type Values } from '../template/resolve.ts'
import { type Attributes, texts } from './attributes.ts'
import type { Translated, Translation } from './translation.ts'

export function alarm({ id, of }: Translation): readonly Translated[] {
  const queries = of.blocks('metric_query').flatMap((query) => query.blocks('metric'))
  return [
    {
      id,
      Type: 'AWS::CloudWatch::Alarm',
      Properties: {
        ...metric(of),
        TreatMissingData: of.get('treat_missing_data'),
        AlarmActions: texts(of.get('alarm_actions')),
        ...(queries.length === 0
          ? {}
          : { Metrics: queries.map((each) => ({ MetricStat: { Metric: metric(each) } })) }),
      },
    },
  ]
}

function metric(of: Attributes): Values {
  const known = Object.entries(asValues(of.get('dimensions')))
  const referred = of.all('dimensions').map((id) => ({ Name: '', Value: id }))
  const Dimensions = [...known.map(([Name, Value]) => ({ Name, Value })), ...referred]
  return { Namespace: of.get('namespace'), MetricName: of.get('metric_name'), Dimensions }
}

export function eventRule({ id, of }: Translation): readonly Translated[] {
  const off = of.get('is_enabled') === false || of.get('state') === 'DISABLED'
  return [
    {
      id,
      Type: 'AWS::Events::Rule',
      Properties: {
        Name: of.get('name'),
        ScheduleExpression: of.get('schedule_expression'),
        ...(off ? { State: 'DISABLED' } : {}),
      },
    },
  ]
}

export function eventTarget({ of }: Translation): readonly Translated[] {
  const dead = of.block('dead_letter_config')?.to('arn')
  const target = {
    Arn: of.to('arn'),
    RoleArn: of.get('role_arn'),
    ...(dead === undefined ? {} : { DeadLetterConfig: { Arn: dead } }),
  }
  return [{ into: textOf(of.to('rule')), Properties: { Targets: [target] } }]
}

export function schedule({ id, of }: Translation): readonly Translated[] {
  return [
    {
      id,
      Type: 'AWS::Scheduler::Schedule',
      Properties: {
        ScheduleExpression: of.get('schedule_expression'),
        State: of.get('state'),
        Target: {
          Arn: of.block('target')?.to('arn'),
          DeadLetterConfig: { Arn: of.block('target')?.block('dead_letter_config')?.to('arn') },
        },
      },
    },
  ]
}

export function notification({ of }: Translation): readonly Translated[] {
  const queues = of.blocks('queue').map((each) => ({ Queue: each.to('queue_arn') }))
  const functions = of
    .blocks('lambda_function')
    .map((each) => ({ Function: each.to('lambda_function_arn') }))
  return [
    {
      into: textOf(of.to('bucket')),
      Properties: {
        NotificationConfiguration: {
          QueueConfigurations: queues,
          LambdaConfigurations: functions,
        },
      },
    },
  ]
}

export function lifecycle({ of }: Translation): readonly Translated[] {
  const Rules = of.blocks('rule').map((each) => ({
    Status: each.get('status'),
    Prefix: each.block('filter')?.get('prefix') ?? each.get('prefix'),
    ExpirationInDays: each.block('expiration')?.get('days'),
  }))
  return [{ into: textOf(of.to('bucket')), Properties: { LifecycleConfiguration: { Rules } } }]
}
