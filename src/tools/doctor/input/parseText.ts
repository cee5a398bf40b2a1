import { LineCounter, parseDocument, type ScalarTag, type CollectionTag } from 'yaml'
import { kindOfText } from './kinds.ts'

export interface Parsed {
  readonly value: unknown
  /** The line of a resource, from 1; undefined: the file does not have it. */
  readonly lineOf: (path: readonly string[]) => number | undefined
}

/**
 * Parses YAML, with the short forms of CloudFormation's functions, or JSON, which is YAML too.
 * @throws Error that says what the file is instead, or where it is malformed
 */
export function parseText(text: string): Parsed {
  const other = kindOfText(text)
  if (other !== undefined) throw new Error(other)
  // A plan is large, has no lines to point to, and is never YAML.
  if (/^\s*\{\s*"format_version"/.test(text)) {
    return { value: JSON.parse(text) as unknown, lineOf: () => undefined }
  }
  const lines = new LineCounter()
  const document = parseDocument(text, {
    customTags: [...TAGS],
    lineCounter: lines,
    merge: true,
    logLevel: 'silent',
  })
  const [wrong] = document.errors
  if (wrong !== undefined) throw new Error(wrong.message.split('\n')[0] ?? 'malformed')
  return {
    value: document.toJS() as unknown,
    lineOf: (path) => {
      const node = document.getIn(path, true)
      const range =
        typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined
      const start = Array.isArray(range) ? Number(range[0]) : undefined
      // The node is the value, which begins on the line after its key in block form.
      return start === undefined ? undefined : lines.linePos(start).line
    },
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
