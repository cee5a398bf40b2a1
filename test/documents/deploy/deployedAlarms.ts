import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { consumers } from '../../../examples/deploy/consumers.ts'
import { parseText } from '../../../src/tools/doctor/input/parseText.ts'
import { ROOT } from '../readme/documents.ts'
import type { Template } from './packaged.ts'

export interface MetricOf {
  readonly Namespace: string
  readonly MetricName: string
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: unknown }[]
}

/** What CloudFormation takes, as far as Lineclear's alarms use it. */
export interface Alarm extends Partial<MetricOf> {
  readonly AlarmDescription: unknown
  readonly Statistic?: string
  readonly ExtendedStatistic?: string
  readonly Period?: number
  readonly EvaluationPeriods: number
  readonly Threshold: number
  readonly ComparisonOperator: string
  readonly TreatMissingData: string
  readonly Metrics?: readonly {
    readonly Id: string
    readonly Expression?: string
    readonly MetricStat?: {
      readonly Metric: MetricOf
      readonly Stat: string
      readonly Period: number
    }
  }[]
}

export type Alarms = readonly (readonly [id: string, alarm: Alarm])[]

export function alarmsIn({ Resources }: Pick<Template, 'Resources'>): Alarms {
  return Object.entries(Resources)
    .filter(([, { Type }]) => Type === 'AWS::CloudWatch::Alarm')
    .map(([id, { Properties }]) => [id, Properties as unknown as Alarm])
}

/** The alarms of `serverless.yml`, from what makes them: packaging the service takes half a minute. */
export async function deployedAlarms(): Promise<Alarms> {
  const { custom } = read('serverless.yml') as { custom: { consumers: unknown } }
  const made = await consumers({ resolveConfigurationProperty: async () => custom.consumers })
  const written = read('examples/deploy/watch.yml') as Pick<Template, 'Resources'>
  return [...alarmsIn(made as Pick<Template, 'Resources'>), ...alarmsIn(written)]
}

function read(path: string): unknown {
  return parseText(readFileSync(join(ROOT, path), 'utf8'))
}
