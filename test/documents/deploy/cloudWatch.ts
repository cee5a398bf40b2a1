import type { Alarm, Alarms, MetricOf } from './deployedAlarms.ts'

/** One value of a metric, as CloudWatch takes it from a line of the embedded metric format. */
export interface Sample {
  readonly at: number
  readonly namespace: string
  /** `name=value` of each dimension, sorted. */
  readonly by: string
  readonly name: string
  readonly value: number
}

interface Line extends Readonly<Record<string, unknown>> {
  readonly _aws: {
    readonly Timestamp: number
    readonly CloudWatchMetrics: readonly {
      readonly Namespace: string
      readonly Dimensions: readonly (readonly string[])[]
      readonly Metrics: readonly { readonly Name: string }[]
    }[]
  }
}

/** The custom metrics in what functions have written; other lines are none of CloudWatch's business. */
export function samplesIn(lines: readonly string[]): Sample[] {
  return lines.filter((line) => line.startsWith('{"_aws":')).flatMap(samplesOf)
}

function samplesOf(text: string): Sample[] {
  const line = JSON.parse(text) as Line
  const { Timestamp: at, CloudWatchMetrics } = line._aws
  return CloudWatchMetrics.flatMap(
    ({ Namespace: namespace, Dimensions: [names = []], Metrics }) => {
      const by = dimensionsOf(names.map((name) => [name, line[name]]))
      return Metrics.flatMap(({ Name: name }) =>
        [line[name]].flat().map((value) => ({ at, namespace, by, name, value: Number(value) })),
      )
    },
  )
}

function dimensionsOf(pairs: readonly (readonly [string, unknown])[]): string {
  return pairs
    .map(([name, value]) => `${name}=${String(value)}`)
    .toSorted()
    .join(' ')
}

const MINUTE = 60_000

/**
 * How often each alarm on Lineclear's own metrics went off between two times, those that never did left out. As CloudWatch does it:
 * each period by itself, and an alarm goes off when `EvaluationPeriods` of them in a row are above the threshold. Left out is what
 * is not needed here: percentiles, and datapoints to alarm.
 */
export function wentOff(
  alarms: Alarms,
  samples: readonly Sample[],
  [from, to]: readonly [number, number],
): Readonly<Record<string, number>> {
  const counts = alarms.map(([id, alarm]) => [id, timesOf(alarm, samples, from, to)] as const)
  return Object.fromEntries(counts.filter(([, times]) => times > 0))
}

function timesOf(alarm: Alarm, samples: readonly Sample[], from: number, to: number): number {
  const parts = partsOf(alarm)
  const [{ period } = { period: MINUTE }] = parts
  if (parts.every(({ metric }) => metric.Namespace !== 'Lineclear')) return 0
  const sources = parts.map((part) => ({
    ...part,
    samples: samples.filter((sample) => isOf(sample, part.metric)),
  }))
  let [times, inRow, isOn] = [0, 0, false]
  for (let begin = Math.ceil(from / period) * period; begin + period <= to; begin += period) {
    const values = sources.flatMap(({ statistic, sign, samples: all }) => {
      const own = all.filter(({ at }) => at >= begin && at < begin + period)
      return own.length === 0 ? [] : [sign * statisticOf(statistic, own)]
    })
    const value = values.length === 0 ? undefined : values.reduce((sum, each) => sum + each)
    inRow = isBreaching(alarm, value) ? inRow + 1 : 0
    const goesOff = inRow >= alarm.EvaluationPeriods
    if (goesOff && !isOn) times += 1
    isOn = goesOff
  }
  return times
}

interface Part {
  readonly metric: MetricOf
  readonly statistic: string
  /** Milliseconds. */
  readonly period: number
  readonly sign: 1 | -1
}

/** An alarm on an expression adds and subtracts metrics, and takes what is missing for 0. */
function partsOf({ Metrics, ...alarm }: Alarm): readonly Part[] {
  if (Metrics === undefined) {
    const { Namespace = '', MetricName = '', Dimensions = [], Statistic = '', Period = 60 } = alarm
    const metric = { Namespace, MetricName, Dimensions }
    return [{ metric, statistic: Statistic, period: Period * 1_000, sign: 1 }]
  }
  const expression = Metrics.map(({ Expression = '' }) => Expression).join('')
  return Metrics.flatMap(({ Id, MetricStat }) => {
    if (MetricStat === undefined) return []
    const { Metric: metric, Stat: statistic, Period } = MetricStat
    const [, sign] = new RegExp(`(^|[+-] )FILL\\(${Id}, 0\\)`).exec(expression) ?? []
    if (sign === undefined) throw new Error(`not a sum of ${Id}: ${expression}`)
    return [{ metric, statistic, period: Period * 1_000, sign: sign === '- ' ? -1 : 1 }]
  })
}

function isOf({ namespace, by, name }: Sample, metric: MetricOf): boolean {
  const { Namespace, MetricName, Dimensions = [] } = metric
  return (
    namespace === Namespace &&
    name === MetricName &&
    by === dimensionsOf(Dimensions.map(({ Name, Value }) => [Name, deployed(Value)]))
  )
}

/** What a reference to the table is once it is deployed. */
function deployed(value: unknown): unknown {
  return JSON.stringify(value) === '{"Ref":"LineclearTable"}' ? 'lineclear' : value
}

function statisticOf(statistic: string, samples: readonly Sample[]): number {
  const values = samples.map(({ value }) => value)
  switch (statistic) {
    case 'Sum':
      return values.reduce((sum, value) => sum + value)
    case 'Maximum':
      return Math.max(...values)
    case 'SampleCount':
      return values.length
    default:
      throw new Error(`a statistic that is not known here: ${statistic}`)
  }
}

function isBreaching(alarm: Alarm, value: number | undefined): boolean {
  if (value === undefined) return alarm.TreatMissingData === 'breaching'
  return alarm.ComparisonOperator === 'LessThanOrEqualToThreshold'
    ? value <= alarm.Threshold
    : value > alarm.Threshold
}

/** Whether it watches a metric of Lineclear with these dimensions. */
export function watches(alarm: Alarm, by: string): boolean {
  return partsOf(alarm).some(
    ({ metric: { Namespace, Dimensions = [] } }) =>
      Namespace === 'Lineclear' &&
      by === dimensionsOf(Dimensions.map(({ Name, Value }) => [Name, deployed(Value)])),
  )
}
