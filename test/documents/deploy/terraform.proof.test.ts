import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tableDefinition, timeToLive } from 'lineclear/dynamodb'
import { describe, expect, it } from 'vitest'
import type { DoctorFinding } from '../../../src/tools/doctor/rule.ts'
import { diagnose } from '../../../src/tools/doctor/rules/diagnose.ts'
import { fromTerraform } from '../../tools/doctor/from.ts'
import { parseHcl } from '../../tools/doctor/terraform/parseHcl.ts'
import { planOf } from '../../tools/doctor/terraform/planOf.ts'
import { ROOT } from '../readme/documents.ts'
import { readmeActions } from './readmeActions.ts'

type Block = Readonly<Record<string, unknown>>
type Blocks = Readonly<Record<string, Readonly<Record<string, readonly Block[]>>>>
interface Module {
  readonly variable: Readonly<Record<string, readonly Block[]>>
  readonly resource: Blocks
  readonly data: Blocks
  readonly output: Readonly<Record<string, readonly Block[]>>
}

const FOLDER = 'examples/deploy/terraform'
const NAMES = ['table', 'consumer', 'function', 'sweeper'] as const
const modules = new Map<string, Module>()
/** The text of each file, by its folder. */
const sources: Record<string, string> = {}
const root = read('.')

function read(folder: string): Block {
  const text = readFileSync(join(ROOT, FOLDER, folder, 'main.tf'), 'utf8')
  sources[folder] = text
  return parseHcl(text)
}

for (const name of NAMES) modules.set(name, read(`modules/${name}`) as unknown as Module)

function moduleOf(name: string): Module {
  const found = modules.get(name)
  if (found === undefined) throw new Error(`no module ${name}`)
  return found
}

function resource(module: string, type: string, name: string): Block {
  const [found] = moduleOf(module).resource[type]?.[name] ?? []
  if (found === undefined) throw new Error(`the module ${module} has no ${type}.${name}`)
  return found
}

/** The argument of `jsonencode`, which is an object of HCL like any other. */
function encoded(value: unknown): unknown {
  const [, inner] = /^\$\{jsonencode\(([\s\S]*)\)\}$/.exec(String(value)) ?? []
  return parseHcl(`of = ${inner}`)['of']
}

/** The findings in the plan of these sources. The parser computes nothing, so products of the timeout are computed here. */
function findingsIn(files: Readonly<Record<string, string>>): readonly DoctorFinding[] {
  const settled = Object.entries(files).map(([folder, text]) => {
    const [, timeout = 0] = /variable "timeout" \{[^}]*?default\s*=\s*(\d+)/.exec(text) ?? []
    const computed = text.replaceAll(/(\d+) \* var\.timeout/g, (_, times: string) =>
      String(Number(times) * Number(timeout)),
    )
    return [folder, computed] as const
  })
  const plan = planOf(Object.fromEntries(settled))
  return diagnose(fromTerraform(plan))
}

describe('the Terraform modules', () => {
  it('have no finding of the doctor', () => {
    // The redrive policy holds an ARN, so before the first deployment a plan does not know its maxReceiveCount either.
    expect(findingsIn(sources)).toMatchObject([
      {
        severity: 'unchecked',
        subject: 'module.orders.aws_sqs_queue.queue',
        problem: expect.stringContaining('maxReceiveCount'),
      },
    ])
  })

  it.each<readonly [finding: string, module: string, from: RegExp | string, to: string]>([
    ['error: partial-failures', 'consumer', '["ReportBatchItemFailures"]', '[]'],
    ['warning: visibility-timeout', 'consumer', '6 * var.timeout', '5 * var.timeout'],
    ['error: dead-letter-retention', 'consumer', '= 1209600', '= 345600'],
    ['error: permissions-missing', 'consumer', '"sqs:ChangeMessageVisibility",', ''],
    ['error: dead-letter-alarm', 'consumer', 'ApproximateNumberOfMessagesVisible', 'Sent'],
    ['warning: alarm-actions', 'consumer', '[var.alarms_to]', '[]'],
    ['warning: table-ttl', 'table', '"ttl"', '"expires"'],
    ['warning: table-deletion', 'table', /deletion_protection_enabled = true/, ''],
    ['warning: sweeper-alarm', 'sweeper', '"waitingTasks"', '"other"'],
    ['error: delays-sweeper', 'sweeper', /schedule_expression .*/, ''],
  ])('the doctor finds "%s" in a changed %s', (finding, module, from, to) => {
    const folder = `modules/${module}`
    const changed = sources[folder]?.replace(from, to) ?? ''
    expect(changed).not.toBe(sources[folder])
    const findings = findingsIn({ ...sources, [folder]: changed })
    expect(findings.map(({ rule, severity }) => `${severity}: ${rule}`)).toContain(finding)
  })

  it('have the table of tableDefinition', () => {
    const table = resource('table', 'aws_dynamodb_table', 'table')
    const defined = tableDefinition()
    const [index] = defined.GlobalSecondaryIndexes ?? []
    expect(table).toMatchObject({
      billing_mode: defined.BillingMode,
      hash_key: defined.KeySchema?.[0]?.AttributeName,
      range_key: defined.KeySchema?.[1]?.AttributeName,
      attribute: defined.AttributeDefinitions?.map((each) => ({
        name: each.AttributeName,
        type: each.AttributeType,
      })),
      global_secondary_index: [
        {
          name: index?.IndexName,
          hash_key: index?.KeySchema?.[0]?.AttributeName,
          range_key: index?.KeySchema?.[1]?.AttributeName,
          projection_type: index?.Projection?.ProjectionType,
          non_key_attributes: index?.Projection?.NonKeyAttributes,
        },
      ],
      ttl: [{ attribute_name: timeToLive().TimeToLiveSpecification?.AttributeName, enabled: true }],
      point_in_time_recovery: [{ enabled: true }],
      server_side_encryption: [{ enabled: true }],
      deletion_protection_enabled: true,
    })
  })

  it('give a consumer redrive policies both ways, 14 days for dead letters, and six timeouts', () => {
    const queue = resource('consumer', 'aws_sqs_queue', 'queue')
    expect(queue['visibility_timeout_seconds']).toBe('${6 * var.timeout}')
    const dead = resource('consumer', 'aws_sqs_queue', 'dead_letters')
    expect(dead['message_retention_seconds']).toBe(1_209_600)
    const redrive = resource('consumer', 'aws_sqs_queue_redrive_policy', 'queue')
    expect(encoded(redrive['redrive_policy'])).toEqual({
      deadLetterTargetArn: '${aws_sqs_queue.dead_letters.arn}',
      maxReceiveCount: '${var.max_receive_count}',
    })
    const allow = resource('consumer', 'aws_sqs_queue_redrive_allow_policy', 'dead_letters')
    expect(encoded(allow['redrive_allow_policy'])).toEqual({
      redrivePermission: 'byQueue',
      sourceQueueArns: ['${aws_sqs_queue.queue.arn}'],
    })
    expect(moduleOf('consumer').variable['max_receive_count']).toMatchObject([{ default: 10 }])
  })

  it('of a function give what an API needs, and need a provider that knows their runtime', () => {
    expect(Object.keys(moduleOf('function').output)).toEqual(['invoke_arn', 'function_name'])
    expect(sources['modules/function']).toContain('nodejs24.x')
    expect(sources['.']).toContain('version = ">= 6.19"')
  })

  it('report failed records alone, to a limited number of invocations', () => {
    expect(resource('consumer', 'aws_lambda_event_source_mapping', 'queue')).toMatchObject({
      function_response_types: ['ReportBatchItemFailures'],
      scaling_config: [{ maximum_concurrency: '${var.max_concurrency}' }],
    })
  })

  it.each([
    ['of a consumer', 'consumer', ['sns:Publish']],
    ['of the sweeper', 'sweeper', []],
  ])('grant the permissions %s, as the runbook has them', (row, module, left) => {
    const [document] = moduleOf(module).data['aws_iam_policy_document']?.['handler'] ?? []
    const text = JSON.stringify(document)
    const granted = text.match(/(?:dynamodb|sqs|sns|lambda):(?!LeadingKeys)[A-Z]\w+/g) ?? []
    expect(new Set([...granted, ...left])).toEqual(new Set(readmeActions(row)))
    expect(text).not.toMatch(/"resources":\s*\["\*"\]/)
  })

  it('tag functions as lineclear pause looks for them, and mappings as the sweeper may enable them', () => {
    const source = sources['modules/consumer'] ?? ''
    expect(source).toMatch(/for key, value in local\.reports_as : "lineclear:\$\{key\}" => value/)
    expect(resource('consumer', 'aws_lambda_function', 'handler')['tags']).toBe('${local.tags}')
    expect(resource('consumer', 'aws_lambda_event_source_mapping', 'queue')['tags']).toBe(
      '${merge(local.tags, { "lineclear:table" = var.table.name })}',
    )
    expect(sources['modules/sweeper']).toContain('"aws:ResourceTag/lineclear:table"')
  })

  it('have an alarm on each dead-letter queue, on silence, and actions on all of them', () => {
    const alarms = NAMES.flatMap((name) =>
      Object.entries(moduleOf(name).resource['aws_cloudwatch_metric_alarm'] ?? {}).map(
        ([id, [alarm = {}]]) => [`${name}.${id}`, alarm] as const,
      ),
    )
    expect(alarms).toHaveLength(23)
    const silent = alarms.filter(
      ([, { alarm_actions }]) => !Array.isArray(alarm_actions) || alarm_actions.length === 0,
    )
    expect(silent).toEqual([])
    expect(Object.fromEntries(alarms)).toMatchObject({
      'consumer.dead_letters': { metric_name: 'ApproximateNumberOfMessagesVisible', threshold: 0 },
      'sweeper.silent': { metric_name: 'missingTasks', treat_missing_data: 'breaching' },
    })
  })

  it('are used with arguments that they have, and outputs that they give', () => {
    const calls = Object.entries(root['module'] as Record<string, readonly Block[]>)
    const source = new Map(
      calls.map(([name, [call]]) => [name, String(call?.['source']).replace('./modules/', '')]),
    )
    const wrong = calls.flatMap(([name, [call = {}]]) => {
      const known = moduleOf(source.get(name) ?? '').variable
      const needed = Object.entries(known).filter(([, [variable = {}]]) => !('default' in variable))
      return [
        ...Object.keys(call).filter((argument) => argument !== 'source' && !(argument in known)),
        ...needed.map(([argument]) => argument).filter((argument) => !(argument in call)),
      ].map((argument) => `${name}.${argument}`)
    })
    expect(wrong).toEqual([])
    const outputs = JSON.stringify(calls).matchAll(/module\.(\w+)\.(\w+)/g)
    for (const [, name = '', output = ''] of outputs) {
      expect(Object.keys(moduleOf(source.get(name) ?? '').output)).toContain(output)
    }
  })
})
