import { parseAst } from 'vitest/node'

/**
 * A protection, as a comment beside its code states it: `// @protects RULE`, then `@without`, `@tests` and `@exception` as far as
 * they are needed, over as many lines as they fill. Within a line: `/* @protects RULE *\/`.
 */
export interface Mark {
  /** In words, as a rule that holds with the protection. No other mark of the file has the same words. */
  readonly protects: string
  /** What stands there when the protection is switched off, see `switchOff`. undefined: nothing. */
  readonly without: string | undefined
  /** Parts of the paths of the tests that are most likely to notice, if those are not the tests of the room. */
  readonly tests: readonly string[]
  /** Why no quick test can notice. */
  readonly exception: string | undefined
  /** The largest node that begins after the comment; of a chain such as `a && b`, a sum or `a ? b : c` its first part. */
  readonly node: Node
  readonly parent: Node
}

export type Node = Readonly<Record<string, unknown>> & {
  readonly type: string
  readonly start: number
  readonly end: number
}

const COMMENTS = /\/\/ @protects .*(?:\n *\/\/.*)*|\/\* @protects [^]*?\*\//g
const MARGIN = /^ *\/\/|^\/\*|\*\/$/gm
const NAMES = ['without', 'tests', 'exception']

/** @throws Error for a mark that stands before no node, or has a part of another name */
export function marksIn(code: string): readonly Mark[] {
  const comments = [...code.matchAll(COMMENTS)]
  if (comments.length === 0) return []
  const program = parseAst(code, { lang: 'ts', preserveParens: true }) as unknown as Node
  return comments.flatMap(({ 0: comment, index }) => {
    const place = placeAt(program, nextToken(code, index + comment.length))
    if (place === undefined) throw new Error(`before no node: ${comment}`)
    // `@survives` is a mark of the mutation run.
    const marks = comment.replaceAll(MARGIN, '').split(/@(?=protects |survives )/)
    return marks
      .filter((each) => each.startsWith('protects '))
      .map((each) => ({ ...partsOf(each.slice('protects '.length)), ...place }))
  })
}

function partsOf(text: string): Omit<Mark, 'node' | 'parent'> {
  const [protects = '', ...parts] = text.split(/\s@(?=[a-z]+\s)/).map(inOneLine)
  const named = new Map(parts.map((part) => [part.replace(/ .*/, ''), part.replace(/^\S+ /, '')]))
  const wrong = [...named.keys()].find((name) => !NAMES.includes(name))
  if (wrong !== undefined) throw new Error(`@${wrong} is unknown: ${protects}`)
  const tests = named.get('tests')?.split(' ') ?? []
  return { protects, without: named.get('without'), tests, exception: named.get('exception') }
}

function inOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

function nextToken(code: string, from: number): number {
  const between = /(?:\s|\/\/.*|\/\*[^]*?\*\/)*/y
  between.lastIndex = from
  return from + (between.exec(code)?.[0].length ?? 0)
}

function placeAt(program: Node, start: number): Pick<Mark, 'node' | 'parent'> | undefined {
  let parent = program
  for (;;) {
    const node = childAt(parent, start)
    if (node === undefined) return undefined
    if (node.start === start && !isChain(node)) return { node, parent }
    parent = node
  }
}

function childAt(node: Node, start: number): Node | undefined {
  const children = Object.values(node).flat().filter(isNode)
  return children.find((child) => child.start <= start && start < child.end)
}

function isChain({ type, operator }: Node): boolean {
  if (type === 'BinaryExpression') return ['+', '-', '*', '/'].includes(String(operator))
  return type === 'LogicalExpression' || type === 'ConditionalExpression'
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}
