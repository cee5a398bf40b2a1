import { isNode, type Mark, marksIn, type Node } from './marks.ts'

/**
 * The code without one of its protections.
 *
 * - A mark without `@without`: the marked node is gone, be it a statement, an element or a part of a chain.
 * - `@without TEXT`: the text stands in place of its value, which is what a statement returns, throws or tests, what a name or a
 *   property is set to, or what a function returns. A text that begins with `return` or `throw` replaces the statement.
 * - `@without its PART`: of that value only this part stays, see `PARTS`.
 * @throws Error when no mark has these words
 */
export function switchOff(code: string, protects: string): string {
  const mark = marksIn(code).find((each) => each.protects === protects)
  if (mark === undefined) throw new Error(`no mark says: ${protects}`)
  const { start, end, by } = changeOf(mark, code)
  return code.slice(0, start) + by + code.slice(end)
}

interface Change {
  readonly start: number
  readonly end: number
  readonly by: string
}

function changeOf({ parent, node, without, protects }: Mark, code: string): Change {
  const textOf = (kept: Node): string => code.slice(kept.start, kept.end)
  if (without === undefined) return deletion(parent, node, code)
  const value = valueOf(node)
  const part = /^its (\w+)$/.exec(without)?.[1]
  if (part === undefined) return replaced(STATEMENT.test(without) ? node : value, without)
  const kept = PARTS.get(part)?.(value)
  if (!isNode(kept)) throw new Error(`has no ${part}: ${protects}`)
  return replaced(value, textOf(kept))
}

const STATEMENT = /^(?:return|throw)\b/

function replaced({ start, end }: Node, by: string): Change {
  return { start, end, by }
}

function deletion(parent: Node, node: Node, code: string): Change {
  const other = [parent['left'], parent['right']].filter(isNode).find((part) => part !== node)
  if (/^(?:Logical|Binary)Expression$/.test(parent.type) && other !== undefined) {
    return replaced(parent, code.slice(other.start, other.end))
  }
  if (/Statement$|Declaration$/.test(node.type)) {
    const { alternate } = node
    return replaced(node, isNode(alternate) ? code.slice(alternate.start, alternate.end) : ';')
  }
  const comma = /^\s*,/.exec(code.slice(node.end))?.[0] ?? ''
  return { start: node.start, end: node.end + comma.length, by: '' }
}

function valueOf(node: Node): Node {
  const value = VALUES[node.type]?.(node)
  return isNode(value) && value.type !== 'BlockStatement' ? valueOf(value) : node
}

type Select = (node: Node) => unknown

const VALUES: Readonly<Record<string, Select>> = {
  ArrowFunctionExpression: ({ body }) => body,
  AssignmentExpression: ({ right }) => right,
  ExportNamedDeclaration: ({ declaration }) => declaration,
  ExpressionStatement: ({ expression }) => expression,
  IfStatement: ({ test }) => test,
  Property: ({ value }) => value,
  ReturnStatement: ({ argument }) => argument,
  ThrowStatement: ({ argument }) => argument,
  VariableDeclaration: ({ declarations }) => [declarations].flat()[0],
  VariableDeclarator: ({ init }) => init,
  WhileStatement: ({ test }) => test,
}

const PARTS: ReadonlyMap<string, Select> = new Map<string, Select>([
  ['left', ({ left }) => left],
  ['right', ({ right }) => right],
  ['then', ({ consequent }) => consequent],
  ['else', ({ alternate }) => alternate],
  ['argument', (value) => [called(value)['arguments']].flat()[0]],
  ['object', (value) => [called(value)['callee']].flat().filter(isNode)[0]?.['object']],
  ['body', ({ block }) => block],
])

/** The call behind an `await`. */
function called(value: Node): Node {
  const { argument } = value
  return isNode(argument) ? argument : value
}
