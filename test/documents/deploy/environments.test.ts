import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { newProject } from '../../../src/tools/init/index.ts'
import { parseText } from '../../../src/tools/doctor/input/parseText.ts'
import { parseHcl } from '../../tools/doctor/terraform/parseHcl.ts'
import { ROOT } from '../readme/documents.ts'
import { alarmsIn } from './deployedAlarms.ts'
import type { Template } from './packaged.ts'

/*
 * Two environments in one account and Region: nothing of the one has the name of something of the other, and no alarm of the one is
 * about what the other reports.
 */

/** Names that an account has once, or once in a Region. */
const OWN_NAME =
  /^(?:TableName|QueueName|TopicName|AlarmName|RoleName|FunctionName|LogGroupName|BucketName|DashboardName)$/

/** What is the same in each stack of this text. */
function fixedNames({ Resources }: Pick<Template, 'Resources'>): string[] {
  return Object.entries(Resources).flatMap(([id, { Properties }]) =>
    Object.entries(Properties)
      .filter(([name, value]) => OWN_NAME.test(name) && !isOfStack(value))
      .map(([name]) => `${id}.${name}`),
  )
}

const isOfStack = (value: unknown): boolean =>
  /Ref|GetAtt|AWS::StackName/.test(JSON.stringify(value))

/** Alarms on what is reported under the same dimensions in each stack of this text. */
function sharedAlarms(template: Pick<Template, 'Resources'>): string[] {
  return alarmsIn(template)
    .filter(([, { Dimensions = [] }]) => !Dimensions.some(({ Value }) => isOfStack(Value)))
    .map(([id]) => id)
}

/** As `lineclear init` writes it. */
function written(tool: 'sam' | 'osls'): Pick<Template, 'Resources'> {
  const { files } = newProject('/nowhere', tool, 'refund-requests')
  const texts = files.filter(({ path }) => /^(?:template\.yaml|resources\/.*)$/.test(path))
  const parts = texts.map(({ text }) => (parseText(text) as Template).Resources)
  return { Resources: Object.fromEntries(parts.flatMap((part) => Object.entries(part))) }
}

describe.each(['sam', 'osls'] as const)('two stages of lineclear init %s', (tool) => {
  it('share no name', () => {
    expect(fixedNames(written(tool))).toEqual([])
    expect(Object.keys(written(tool).Resources)).toContain('LineclearTable')
  })

  it('share no alarm', () => {
    expect(alarmsIn(written(tool)).length).toBeGreaterThan(12)
    expect(sharedAlarms(written(tool))).toEqual([])
  })

  it('keep what they have stored, unless their stack could not be made', () => {
    const kept = Object.values(written(tool).Resources).filter(
      (each) => 'UpdateReplacePolicy' in each,
    )
    const policies = kept.map((each) => ('DeletionPolicy' in each ? each.DeletionPolicy : ''))
    expect(new Set(policies)).toEqual(new Set(['RetainExceptOnCreate']))
  })
})

type Block = Readonly<Record<string, unknown>>

it('two stages of Terraform share no name: each is made of the name of the table', () => {
  const modules = ['table', 'consumer', 'function', 'sweeper']
  const named = modules.flatMap((module) => {
    const file = join(ROOT, 'examples/deploy/terraform/modules', module, 'main.tf')
    const { resource } = parseHcl(readFileSync(file, 'utf8')) as {
      resource: Readonly<Record<string, Readonly<Record<string, Block[]>>>>
    }
    return Object.values(resource)
      .flatMap((byName) => Object.values(byName).flat())
      .flatMap(({ name, alarm_name, function_name }) => [name, alarm_name, function_name])
      .filter((name) => name !== undefined)
      .map((name) => `${module}: ${JSON.stringify(name)}`)
  })
  expect(named.length).toBeGreaterThan(30)
  const ofTable = /^table: "\$\{?var\.name|local\.function|aws_lambda_function\.handler/
  expect(named.filter((name) => !ofTable.test(name))).toEqual([])
})
