import { parseAst } from 'vitest/node'

/** What a file says about itself, without the files that it imports. */
export interface Source {
  readonly imports: readonly Import[]
  /** The globals that it reads, such as `process` or `Date.now`. */
  readonly globals: readonly string[]
  /** Whether anything in it is asynchronous. */
  readonly waits: boolean
}

export interface Import {
  /** As it is written. */
  readonly from: string
  readonly isType: boolean
  /** Names of values; '*' for all of them. */
  readonly names: readonly string[]
}

/** Stands for an `import(…)` of what is not a literal. */
export const COMPUTED = '(computed)'

type Node = Readonly<Record<string, unknown>> & { readonly type: string }

const GLOBALS: ReadonlySet<string> = new Set([
  'console',
  'crypto',
  'fetch',
  'globalThis',
  'navigator',
  'performance',
  'process',
  'queueMicrotask',
  'setImmediate',
  'setInterval',
  'setTimeout',
  'WebSocket',
])
const MEMBERS: ReadonlySet<string> = new Set(['Date.now', 'Math.random', 'performance.now'])

const read = new Map<string, Source>()

/** @throws Error when it cannot be parsed */
export function readSource(text: string, file: string): Source {
  const source = read.get(text) ?? parseSource(text, file.endsWith('x') ? 'tsx' : 'ts')
  read.set(text, source)
  return source
}

function parseSource(text: string, lang: 'ts' | 'tsx'): Source {
  const imports: Import[] = []
  const globals = new Set<string>()
  const bound = new Set<string>()
  let waits = false
  const see = (node: Node): void => {
    const found = importOf(node)
    if (found !== undefined) imports.push(found)
    const global = globalOf(node)
    if (global !== undefined) globals.add(global)
    for (const name of boundBy(node)) bound.add(name)
    waits ||= node['async'] === true || node.type === 'AwaitExpression'
  }
  for (const node of nodesIn(parseAst(text, { lang }))) visit(node, see)
  return { imports, globals: [...globals].filter((name) => !bound.has(name)), waits }
}

/** Names of variables and parameters: an option may be called `process`. */
function boundBy(node: Node): readonly string[] {
  if (node.type === 'VariableDeclarator') return nodesIn(node['id']).flatMap(namesIn)
  return nodesIn(node['params']).flatMap(namesIn)
}

/** The names that a pattern binds. */
function namesIn(pattern: Node): readonly string[] {
  switch (pattern.type) {
    case 'Identifier':
      return [String(pattern['name'])]
    case 'ObjectPattern':
      return nodesIn(pattern['properties']).flatMap(namesIn)
    case 'ArrayPattern':
      return nodesIn(pattern['elements']).flatMap(namesIn)
    case 'Property':
      return nodesIn(pattern['value']).flatMap(namesIn)
    case 'AssignmentPattern':
      return nodesIn(pattern['left']).flatMap(namesIn)
    case 'RestElement':
      return nodesIn(pattern['argument']).flatMap(namesIn)
    default:
      return []
  }
}

function importOf(node: Node): Import | undefined {
  if (!isNode(node['source'])) return undefined
  const { value } = node['source']
  const from = typeof value === 'string' ? value : COMPUTED
  switch (node.type) {
    case 'ImportDeclaration':
      return { from, ...namesOf(node, 'importKind', 'imported') }
    case 'ExportNamedDeclaration':
      return { from, ...namesOf(node, 'exportKind', 'local') }
    case 'ExportAllDeclaration':
      return { from, isType: node['exportKind'] === 'type', names: ['*'] }
    case 'ImportExpression':
      return { from, isType: false, names: ['*'] }
    case 'TSImportType':
      return { from, isType: true, names: [] }
    default:
      return undefined
  }
}

function namesOf(node: Node, kind: string, name: string): Pick<Import, 'isType' | 'names'> {
  const specifiers = nodesIn(node['specifiers'])
  const values = node[kind] === 'type' ? [] : specifiers.filter((each) => each[kind] !== 'type')
  return {
    isType: node[kind] === 'type' || (specifiers.length > 0 && values.length === 0),
    names: values.map((each) => (isNode(each[name]) ? String(each[name]['name']) : '*')),
  }
}

function globalOf(node: Node): string | undefined {
  const { type } = node
  if (type === 'Identifier' && GLOBALS.has(String(node['name']))) return String(node['name'])
  if (type === 'MemberExpression' && isNode(node['object']) && isNode(node['property'])) {
    const { object, property } = node
    const name = `${String(object['name'])}.${String(property['name'] ?? property['value'])}`
    return MEMBERS.has(name) ? name : undefined
  }
  const isCall = type === 'NewExpression' || type === 'CallExpression'
  if (!isCall || !isNode(node['callee']) || node['callee']['name'] !== 'Date') return undefined
  return nodesIn(node['arguments']).length === 0 || type === 'CallExpression'
    ? 'the date of now'
    : undefined
}

/** Names of members and of types are no reads of a global. */
const SILENT: Readonly<Record<string, string>> = {
  MemberExpression: 'property',
  Property: 'key',
  PropertyDefinition: 'key',
  MethodDefinition: 'key',
  TSPropertySignature: 'key',
  TSMethodSignature: 'key',
}

function visit(node: Node, see: (node: Node) => void): void {
  see(node)
  const silent = node['computed'] === true ? undefined : SILENT[node.type]
  const isDeclared = node.type === 'ImportDeclaration' || node.type === 'ExportNamedDeclaration'
  for (const [name, value] of Object.entries(node)) {
    if (name === silent || (isDeclared && name === 'specifiers')) continue
    for (const child of nodesIn(value)) visit(child, see)
  }
}

function nodesIn(value: unknown): readonly Node[] {
  return (Array.isArray(value) ? value : [value]).filter(isNode)
}

function isNode(value: unknown): value is Node {
  return (
    typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
  )
}
