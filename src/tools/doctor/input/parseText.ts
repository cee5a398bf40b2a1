import { parseDocument, type ScalarTag, type CollectionTag } from 'yaml'
import { asValues } from '../template/resolve.ts'
import { isTemplate } from '../template/readUnread.ts'

/**
 * Parses YAML, with the short forms of CloudFormation's functions, or JSON, which is YAML too.
 * @throws Error that says what the file is instead, or where it is malformed
 */
export function parseText(text: string): unknown {
  const other = kindOfText(text)
  if (other !== undefined) throw new Error(other)
  // A plan is large, and is never YAML.
  if (/^\s*\{\s*"format_version"/.test(text)) return JSON.parse(text) as unknown
  const document = parseDocument(text, { customTags: [...TAGS], merge: true, logLevel: 'silent' })
  const [wrong] = document.errors
  if (wrong !== undefined) throw new Error(wrong.message.split('\n')[0] ?? 'malformed')
  return document.toJS() as unknown
}

const FUNCTIONS = [
  'Base64',
  'Cidr',
  'FindInMap',
  'GetAZs',
  'If',
  'ImportValue',
  'Join',
  'Length',
  'Select',
  'Split',
  'Sub',
  'ToJsonString',
  'Transform',
  'And',
  'Equals',
  'Not',
  'Or',
  'GetAtt',
]

const NAMES: readonly (readonly [tag: string, key: string])[] = [
  ['Ref', 'Ref'],
  ['Condition', 'Condition'],
  ...FUNCTIONS.map((name) => [name, `Fn::${name}`] as const),
]

/** Each function takes a text, a list or an object. */
const TAGS: readonly (ScalarTag | CollectionTag)[] = NAMES.flatMap(([name, key]) => [
  { tag: `!${name}`, resolve: (text: string) => ({ [key]: text }) },
  ...(['seq', 'map'] as const).map((collection): CollectionTag => ({
    tag: `!${name}`,
    collection,
    resolve: (node) => ({ [key]: node.toJSON() as unknown }),
  })),
])

export const EXPECTED: string =
  'expected a CloudFormation or SAM template (YAML or JSON; also made by `sam build`, `cdk synth`, `npx osls package`), a folder such as ' +
  'cdk.out, or what `terraform show -json` prints'

/** Looks at each line once: \s would begin anew in each of many empty lines, and a line ends at each of these. */
const TERRAFORM =
  /^[ \t]*(?:resource|module|terraform|provider|variable|data|locals|output)\b[^\n\r\u2028\u2029:{]*\{/m

/** What a text is that is neither YAML nor JSON; undefined: it may be one of them. */
export function kindOfText(text: string): string | undefined {
  if (text.trim() === '') return 'it is empty'
  if (text.startsWith('PK')) {
    return 'it is a plan of Terraform: give what `terraform show -json PLAN > plan.json` writes'
  }
  if (TERRAFORM.test(text)) {
    return 'it is source text of Terraform: run `terraform plan -out plan.out`, and give what `terraform show -json plan.out > plan.json` writes'
  }
  if (text.includes('\u0000')) return 'it is no text'
  return undefined
}

export type Kind = 'cloudformation' | 'terraform'

/** What a parsed file is. @throws Error that says what it is instead, and which command makes the file that was expected */
export function kindOf(value: unknown): Kind {
  if (isTemplate(value)) return 'cloudformation'
  const values = asValues(value)
  const has = (...keys: readonly string[]): boolean =>
    keys.every((key) => Object.hasOwn(values, key))
  if (has('format_version') && (has('planned_values') || has('values'))) return 'terraform'
  const [, words] = OTHERS.find(([keys]) => has(...keys)) ?? []
  throw new Error(words ?? 'it has no Resources')
}

const OTHERS: readonly (readonly [keys: readonly string[], words: string])[] = [
  [
    ['format_version'],
    'it is an empty state of Terraform: give a plan (`terraform show -json plan.out > plan.json`)',
  ],
  [
    ['terraform_version', 'serial'],
    "it is Terraform's own state: give what `terraform show -json > state.json` writes",
  ],
  [
    ['@level', '@message'],
    'it is the log of `terraform plan -json`: give what `terraform show -json plan.out > plan.json` writes',
  ],
  [
    ['service', 'provider'],
    'it is the source of a service: run `npx osls package`, and give .serverless/cloudformation-template-update-stack.json',
  ],
  [['app'], 'it is the configuration of the CDK: run `cdk synth`, and give the folder cdk.out'],
  [
    ['version', 'artifacts'],
    'it is the manifest of the CDK: give the folder that it is in (cdk.out)',
  ],
]
