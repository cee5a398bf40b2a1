import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { roleOf } from '../../../examples/deploy/role.ts'
import { QUEUE_ACTIONS } from '../../../src/tools/actions.ts'
import {
  CONSUMER_TABLE_ACTIONS,
  SWEEPER_TABLE_ACTIONS,
} from '../../../src/tools/cdk/permissions.ts'
import { ROOT } from '../readme/documents.ts'
import { samTemplate } from './samTemplate.ts'

const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

/** The lists of actions of a policy, each sorted: of CloudFormation as an object, of Terraform as text. */
function lists(policy: unknown): readonly string[] {
  const json = JSON.stringify(policy)
  return [...json.matchAll(/"Action":(\[[^\]]*\]|"[^"]*")/g)].map(([, actions = '']) =>
    inOrder(actions),
  )
}

function listsOfModule(name: string): readonly string[] {
  const source = textOf(`examples/deploy/terraform/modules/${name}/main.tf`)
  return [...source.matchAll(/actions\s*=\s*\[([^\]]*)\]/g)].map(([, actions = '']) =>
    inOrder(actions),
  )
}

function inOrder(actions: string): string {
  return (actions.match(/\w+:\w+/g) ?? []).toSorted().join(' ')
}

/** Items and statements of PartiQL are granted apart, under other conditions. */
function joined(all: readonly string[]): readonly string[] {
  const isOfTable = (actions: string): boolean => actions.startsWith('dynamodb:')
  const others = all.filter((actions) => !isOfTable(actions))
  return [...others, inOrder(all.filter(isOfTable).join(' '))]
}

const ofCdk = (actions: readonly string[]): string => actions.toSorted().join(' ')

/** Each tool has its own words for the same lists, and nothing that they could share. */
const TOOLS: readonly (readonly [
  tool: string,
  consumer: readonly string[],
  sweeper: readonly string[],
])[] = [
  [
    'serverless.yml',
    joined(lists(roleOf({ name: 'orders', timeout: 30 }))),
    // Anchors are resolved; tags such as !GetAtt stay as they are.
    lists(
      (
        parse(textOf('examples/deploy/roles.yml'), { logLevel: 'silent' }) as {
          Resources: Record<string, unknown>
        }
      ).Resources['SweeperRole'],
    ),
  ],
  [
    'SAM',
    lists(samTemplate().Resources['OrdersRole']),
    lists(samTemplate().Resources['SweeperRole']),
  ],
  ['Terraform', listsOfModule('consumer'), listsOfModule('sweeper')],
]

it.each(TOOLS)(
  '%s grants a consumer and the sweeper what the CDK grants them',
  (_tool, consumer, sweeper) => {
    expect(consumer).toContain(ofCdk(QUEUE_ACTIONS))
    expect(consumer).toContain(ofCdk(CONSUMER_TABLE_ACTIONS))
    expect(sweeper).toContain(ofCdk(SWEEPER_TABLE_ACTIONS))
    expect(sweeper).toContain('dynamodb:Query')
    const others = [...consumer, ...sweeper].filter((each) => /dynamodb:|sqs:Receive/.test(each))
    expect(others).toHaveLength(4)
  },
)

it('a consumer of SAM or Terraform touches the items of its own name only, and no request without a key', () => {
  const sam = JSON.stringify(samTemplate())
  expect(sam).toContain(
    '"Condition":{"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["lock#orders/*"]},' +
      '"Null":{"dynamodb:LeadingKeys":"false"}}',
  )
  const module = textOf('examples/deploy/terraform/modules/consumer/main.tf')
  const [, statement = ''] = /"dynamodb:PartiQLUpdate",\n(.*?)\n\}\n/s.exec(module) ?? []
  const conditions = [...statement.matchAll(/test += "(.+)"\n +variable = "(.+)"\n +values +=/g)]
  expect(conditions.map(([, ...of]) => of)).toEqual([
    ['ForAllValues:StringLike', 'dynamodb:LeadingKeys'],
    ['Null', 'dynamodb:LeadingKeys'],
  ])
})
