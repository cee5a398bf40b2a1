import {
  type Document,
  isScalar,
  LineCounter,
  parseDocument,
  type CollectionTag,
  type ScalarTag,
  visit,
} from 'yaml'
import { asValues } from '../template/resolve.ts'
import { isTemplate } from '../template/readUnread.ts'

/**
 * Parses YAML, with the short forms of CloudFormation's functions, or JSON, which is YAML too.
 * @throws Error that says where it is malformed
 */
export function parseText(text: string): unknown {
  if (text.includes('\u0000')) throw new Error('it is no text')
  const json = asJson(text)
  if (json !== undefined) return json
  if (text.length > LONGEST_YAML) {
    if (/^\s*\{/.test(text)) return JSON.parse(text) as unknown
    throw new Error(
      `YAML of more than ${LONGEST_YAML} characters, of which CloudFormation takes none`,
    )
  }
  const lines = new LineCounter()
  const document = parseDocument(text, {
    lineCounter: lines,
    customTags: [...TAGS],
    merge: true,
    logLevel: 'silent',
    // Its own check compares each key with all before it; `refuseRepeated` does not.
    uniqueKeys: false,
  })
  const [wrong] = document.errors
  if (wrong !== undefined) throw new Error(wrong.message.split('\n')[0] ?? 'malformed')
  refuseRepeated(document, lines)
  return document.toJS() as unknown
}

/** A resource that was pasted twice would replace the first one without a word. */
function refuseRepeated(document: Document, lines: LineCounter): void {
  visit(document, {
    Map: (_, { items }) => {
      const seen = new Map<string, number>()
      for (const { key } of items) {
        if (!isScalar(key) || typeof key.range?.[0] !== 'number') continue
        const name = String(key.value)
        const { line } = lines.linePos(key.range[0])
        const before = seen.get(name)
        if (before !== undefined && name !== '<<') {
          throw new Error(`it has the key ${name} twice, in line ${before} and in line ${line}`)
        }
        seen.set(name, line)
      }
    },
  })
}

/** CloudFormation takes templates of 1 MB. */
const LONGEST_YAML = 2_000_000

/** What most tools write. A template that begins as JSON does may be YAML all the same. */
function asJson(text: string): unknown {
  if (!/^\s*\{/.test(text)) return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
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

export type FileKind = 'cloudformation' | 'terraform'

/** What a parsed file is. @throws Error when it is none of these */
export function fileKind(value: unknown): FileKind {
  if (isTemplate(value)) return 'cloudformation'
  const values = asValues(value)
  const has = (key: string): boolean => Object.hasOwn(values, key)
  if (has('format_version') && (has('planned_values') || has('values'))) return 'terraform'
  throw new Error('it has no Resources')
}
