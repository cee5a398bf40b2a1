import { asValues } from '../template/values.ts'

/** Lines of YAML for an object, with the short forms of CloudFormation's functions. */
export function yamlLines(value: Readonly<Record<string, unknown>>, indent = ''): string[] {
  return Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .flatMap(([key, each]) => member(`${indent}${quoted(key)}:`, each, `${indent}  `))
}

function member(head: string, value: unknown, indent: string): string[] {
  const short = scalar(value)
  if (short !== undefined) return [`${head} ${short}`]
  if (Array.isArray(value)) return [head, ...value.flatMap((each) => item(each, indent))]
  return [head, ...yamlLines(asValues(value), indent)]
}

function item(value: unknown, indent: string): string[] {
  const short = scalar(value)
  if (short !== undefined) return [`${indent}- ${short}`]
  const [first = '', ...rest] = yamlLines(asValues(value), `${indent}  `)
  return [`${indent}- ${first.slice(indent.length + 2)}`, ...rest]
}

function scalar(value: unknown): string | undefined {
  if (typeof value === 'string') return quoted(value)
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value) && value.length === 0) return '[]'
  const [[name, of] = ['', undefined], ...more] = Object.entries(value)
  if (more.length > 0) return undefined
  if (name === 'Ref') return `!Ref ${String(of)}`
  if (name === 'Fn::Sub') return `!Sub ${quoted(String(of))}`
  if (name === 'Fn::GetAtt' && Array.isArray(of)) return `!GetAtt ${of.join('.')}`
  return undefined
}

const PLAIN = /^[A-Za-z](?:[\w./-]|::|:(?=[A-Za-z]))*$/
const WORDS = /^(true|false|yes|no|on|off|null|y|n)$/i

function quoted(text: string): string {
  return PLAIN.test(text) && !WORDS.test(text) ? text : JSON.stringify(text)
}
