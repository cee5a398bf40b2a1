import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parseHcl } from '../../tools/doctor/terraform/parseHcl.ts'
import { consumerOfTopic, templateOf } from '../../tools/cdk/stacks.ts'
import { ROOT } from '../readme/documents.ts'
import { type Alarm, alarmsIn, deployedAlarms, type MetricOf } from './deployedAlarms.ts'
import { samTemplate, uncommented } from './samTemplate.ts'

/*
 * Whoever deploys with another tool is woken by the same alarms, and reads the same text. An alarm is known by what it watches:
 * its own name differs from tool to tool.
 */

/** What makes an alarm fire, and what it says. */
interface Behaviour {
  readonly period: unknown
  readonly periods: unknown
  readonly threshold: unknown
  readonly comparison: unknown
  readonly missing: unknown
  readonly says: string
}
type Behaviours = Readonly<Record<string, Behaviour>>

/** Of one consumer `orders` with a topic, of the sweeper and of the table. */
const OURS =
  /^(?:Orders(?!Topic)|Sweeper|LineclearTable|Overdue|Waiting|OpenCircuit|Delayed|InProgress)/

/** Whose metric it is: of a queue, a function or a table. */
function whose(value: unknown, module = ''): string {
  const text = JSON.stringify(value)
  const kinds = [/undelivered/i, /dead_?letters/i, /function/i, /table/i, /queue/i]
  const kind = kinds.find((each) => each.test(text))?.source
  const isSweeper = /sweeper/i.test(`${module} ${text}`)
  return `${isSweeper ? 'sweeper ' : ''}${kind}`
}

function watched(
  { Namespace, MetricName, Dimensions = [] }: Partial<MetricOf>,
  statistic: string,
  module?: string,
): string {
  const of = Dimensions.map(({ Name, Value }) =>
    /^(?:consumer|table|GlobalSecondaryIndexName)$/.test(Name)
      ? Name
      : `${Name} ${whose(Value, module)}`,
  )
  return [Namespace, MetricName, statistic, ...of.toSorted()].join(', ')
}

/** Names that are known only once it is deployed, or that differ from tool to tool. */
function textOf(description: unknown): string {
  const text =
    typeof description === 'string'
      ? description
      : Object.entries(description as object).map(([how, value]) =>
          how === 'Fn::Sub' ? String(value) : joined(value as [string, unknown[]]),
        )[0]
  return String(text)
    .replace(OF_TABLE, '')
    .replace('${local.flag}', '--consumer orders')
    .replaceAll(/\$\{[^}]+\}/g, 'NAME')
    .replace(/--consumer \S+/, '--consumer NAME')
}

/** What tools add that do not know whether the table has a name of its own. */
const OF_TABLE = /(?: --table (?:\$\{LineclearTable\}|Orders-lineclear)|\$\{local\.of_table\})$/

function joined([separator, parts]: [string, unknown[]]): string {
  return parts.map((part) => (typeof part === 'string' ? part : 'NAME')).join(separator)
}

/** Two alarms on one metric would hide each other. */
function byMetric(all: readonly (readonly [string, Behaviour])[]): Behaviours {
  const found = Object.fromEntries(all)
  expect(all.map(([metric]) => metric).toSorted()).toEqual(Object.keys(found).toSorted())
  return found
}

function behaviours(alarms: readonly Alarm[]): Behaviours {
  return byMetric(
    alarms.map((alarm) => [
      watched(alarm, alarm.Statistic ?? alarm.ExtendedStatistic ?? ''),
      {
        period: alarm.Period,
        periods: alarm.EvaluationPeriods,
        threshold: alarm.Threshold,
        comparison: alarm.ComparisonOperator,
        missing: alarm.TreatMissingData,
        says: textOf(alarm.AlarmDescription),
      },
    ]),
  )
}

async function ofServerless(): Promise<Behaviours> {
  const alarms = await deployedAlarms()
  return behaviours(alarms.filter(([id]) => OURS.test(id)).map(([, alarm]) => alarm))
}

function ofCdk(): Behaviours {
  return behaviours(alarmsIn(templateOf(consumerOfTopic())).map(([, alarm]) => alarm))
}

const alarmsOfSam = () => alarmsIn(samTemplate(uncommented))

function ofSam(): Behaviours {
  return behaviours(alarmsOfSam().map(([, alarm]) => alarm))
}

type Block = Readonly<Record<string, unknown>>

function ofTerraform(): Behaviours {
  const all: [string, Behaviour][] = []
  for (const module of ['table', 'consumer', 'sweeper']) {
    const file = join(ROOT, 'examples/deploy/terraform/modules', module, 'main.tf')
    const { variable, resource } = parseHcl(readFileSync(file, 'utf8')) as {
      variable: Record<string, Block[]>
      resource: Record<string, Record<string, Block[]>>
    }
    const timeout = Number(variable['timeout']?.[0]?.['default'])
    for (const [alarm] of Object.values(resource['aws_cloudwatch_metric_alarm'] ?? {})) {
      if (alarm === undefined) continue
      const { namespace, metric_name, dimensions = {}, statistic, extended_statistic } = alarm
      const metric = {
        Namespace: String(namespace),
        MetricName: String(metric_name),
        // Without a flow, as in the others.
        Dimensions: Object.entries(
          dimensions === '${merge(local.reports_as, { table = var.table.name })}'
            ? { consumer: 'orders', table: 'its name' }
            : (dimensions as object),
        ).map(([Name, Value]) => ({ Name, Value })),
      }
      const [, times] = /^\$\{(\d+) \* var\.timeout\}$/.exec(String(alarm['threshold'])) ?? []
      all.push([
        watched(metric, String(statistic ?? extended_statistic), module),
        {
          period: alarm['period'],
          periods: alarm['evaluation_periods'],
          threshold: times === undefined ? alarm['threshold'] : Number(times) * timeout,
          comparison: alarm['comparison_operator'],
          missing: alarm['treat_missing_data'],
          says: textOf(alarm['alarm_description']),
        },
      ])
    }
  }
  return byMetric(all)
}

it('the CDK constructs have the alarms of serverless.yml, with the same thresholds and texts', async () => {
  const deployed = await ofServerless()
  expect(Object.keys(deployed)).toHaveLength(20)
  expect(ofCdk()).toEqual(deployed)
})

it('the SAM template has them too, that of its topic behind a #', async () => {
  expect(ofSam()).toEqual(await ofServerless())
  expect(alarmsIn(samTemplate()).length).toBe(alarmsOfSam().length - 1)
})

it('those of SAM and Terraform name the table in each command, which may have a name of its own', () => {
  const sam = alarmsOfSam().map(([, alarm]) => JSON.stringify(alarm.AlarmDescription))
  const modules = ['table', 'consumer', 'sweeper'].map((module) =>
    readFileSync(join(ROOT, 'examples/deploy/terraform/modules', module, 'main.tf'), 'utf8'),
  )
  const terraform = modules.flatMap((text) => text.match(/alarm_description .*/g) ?? [])
  const typed = [...sam, ...terraform].filter((text) => text.includes('Next: lineclear '))
  expect(typed.length).toBeGreaterThan(25)
  const table = /(?: --table \$\{LineclearTable\}|\$\{local\.of_table\})"/
  expect(typed.filter((text) => !table.test(text))).toEqual([])
})

it('the Terraform modules have them too', async () => {
  expect(ofTerraform()).toEqual(await ofServerless())
})
