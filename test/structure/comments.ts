import { parseAst } from 'vitest/node'

/** One paragraph of a comment or a document, on one line. */
export interface Paragraph {
  /** The line in which its comment or, in a document, the paragraph begins; from 1. */
  readonly line: number
  readonly text: string
}

type Node = Readonly<Record<string, unknown>> & {
  readonly type: string
  readonly start: number
  readonly end: number
}

/** Nodes whose text may contain what looks like a comment. */
const TEXTS: ReadonlySet<string> = new Set(['Literal', 'TemplateElement', 'JSXText'])
const COMMENT = /\/\*[^]*?\*\/|\/\/.*(?:\n[ \t]*\/\/.*)*/g
const EXAMPLE = /^@example\b[^]*?(?=^@(?:param|returns|throws)\b|$(?![^]))/gm
const MARGIN = /^[ \t]*(?:\/\*\*?|\*\/|\*(?= |$)|\/\/)[ \t]?|[ \t]*\*\/$/gm

/**
 * The paragraphs of the comments of a source file. Lines that begin with `//` and follow each other are one comment. Code in an
 * `@example` is none of them.
 * @throws Error when it cannot be parsed
 */
export function commentsIn(code: string, file: string): readonly Paragraph[] {
  const lang = file.endsWith('x') ? 'tsx' : 'ts'
  const bare = withoutTexts(code, parseAst(code, { lang }) as unknown as Node)
  return [...bare.matchAll(COMMENT)].flatMap(({ 0: comment, index }) => {
    const line = lineAt(code, index)
    return comment
      .replaceAll(MARGIN, '')
      .replaceAll(EXAMPLE, '')
      .split(/\n\s*\n|\n\s*(?=@|- |\d+\. )/)
      .map((text) => ({ line, text: inOneLine(text.replace(/^\s*(?:- |\d+\. )/, '')) }))
      .filter(({ text }) => text !== '')
  })
}

/** The code with blanks in place of its strings, templates and regular expressions. */
function withoutTexts(code: string, program: Node): string {
  const units = code.split('')
  const visit = (node: Node): void => {
    if (TEXTS.has(node.type)) units.fill(' ', node.start, node.end)
    for (const child of Object.values(node).flat()) if (isNode(child)) visit(child)
  }
  visit(program)
  return units.join('')
}

/** The paragraphs of a Markdown document: an item of a list, a heading and a cell of a table is one, too. Fenced blocks are not read. */
export function paragraphsOf(markdown: string): readonly Paragraph[] {
  const prose = markdown.replaceAll(/^```[^]*?^```$/gm, (block) => block.replaceAll(/.+/g, ''))
  const cells = prose.replaceAll(/^\|.*$/gm, (row) => row.replaceAll('|', '\v'))
  return [...cells.matchAll(/[^\v\n]+(?:\n(?!\s*(?:\n|[-*#\v]|\d+\.))[^\v\n]+)*/g)]
    .map(({ 0: text, index }) => ({
      line: lineAt(cells, index),
      text: inOneLine(text.replace(/^\s*(?:[-*] |\d+\. |#+ )/, '')),
    }))
    .filter(({ text }) => text !== '')
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}

function inOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}
