import type { Alarm } from '../deployment.ts'
import { functionId } from './readFunctions.ts'
import { logicalId, resourcesOf, type Template } from './resolve.ts'
import { asList, asValues, textOf, type Values } from './values.ts'

/** Alarms on one metric. An alarm on several counts for each of them. */
export function readAlarms(template: Template): Alarm[] {
  return resourcesOf(template, 'AWS::CloudWatch::Alarm').flatMap(([id, alarm]) =>
    metricsOf(alarm).map(({ Namespace, MetricName, Dimensions }) => ({
      id,
      namespace: textOf(Namespace),
      metric: textOf(MetricName),
      of: asList(Dimensions).map((of) => dimensionId(template, asValues(of))),
      missingData: textOf(alarm['TreatMissingData'] ?? 'missing'),
      actions: asList(alarm['AlarmActions']).length,
    })),
  )
}

function dimensionId(template: Template, { Name, Value }: Values): string {
  if (Name === 'FunctionName') return functionId(template, Value)
  return Name === 'QueueName' ? logicalId(template, Value, 'sqs') : logicalId(template, Value)
}

function metricsOf(alarm: Values): Values[] {
  const several = asList(alarm['Metrics']).map((query) =>
    asValues(asValues(asValues(query)['MetricStat'])['Metric']),
  )
  const found = several.filter(({ MetricName }) => MetricName !== undefined)
  return alarm['MetricName'] === undefined && found.length > 0 ? found : [alarm]
}

/** Rules of EventBridge with a schedule, and schedules of EventBridge Scheduler, that are not switched off. */
export function readSchedules(template: Template): string[] {
  const rules = resourcesOf(template, 'AWS::Events::Rule')
    .filter(([, rule]) => rule['ScheduleExpression'] !== undefined)
    .map(([, rule]) => ({ state: rule['State'], targets: asList(rule['Targets']) }))
  const schedules = resourcesOf(template, 'AWS::Scheduler::Schedule').map(([, schedule]) => ({
    state: schedule['State'],
    targets: [schedule['Target']],
  }))
  return [...rules, ...schedules]
    .filter(({ state }) => textOf(state) !== 'DISABLED')
    .flatMap(({ targets }) => targets.map((to) => functionId(template, asValues(to)['Arn'])))
}
