import { globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

export const ROOT: string = resolve(import.meta.dirname, '../../..')

export interface Document {
  /** From the root of the repository. */
  readonly path: string
  readonly folder: string
  readonly text: string
}

export interface Block {
  readonly language: string
  readonly text: string
  /** Of the line with the opening fence, from 1. */
  readonly line: number
  /** The file that the comment above the fence names, from the root of the repository. */
  readonly file: string | undefined
}

/** Every Markdown file of the repository. */
export const documents: readonly Document[] = [
  ...globSync('*.md', { cwd: ROOT }),
  ...globSync('{src,test,examples}/**/*.md', { cwd: ROOT }),
].map((path) => ({
  path,
  folder: dirname(path),
  text: readFileSync(join(ROOT, path), 'utf8'),
}))

const BLOCK = /(?:^<!-- (\S+) -->\n)?^```(\w*)\n([\s\S]*?)^```$/gm

export function blocksOf({ text }: Document): Block[] {
  return [...text.matchAll(BLOCK)].map((found) => {
    const [all, file, language = '', code = ''] = found
    const before = text.slice(0, found.index + all.indexOf('```'))
    return { file, language, text: code.trimEnd(), line: before.split('\n').length }
  })
}

/** The text without its fenced blocks: what a reader takes for prose. */
export function proseOf({ text }: Document): string {
  return text.replaceAll(BLOCK, '')
}

/** What stands between single backticks, in prose. */
export function codeSpansOf(document: Document): string[] {
  return [...proseOf(document).matchAll(/`([^`\n]+(?:\n[^`\n]+)?)`/g)].map(([, code = '']) =>
    code.replaceAll(/\s+/g, ' '),
  )
}

/** Targets of links and images that are no addresses of the Web. */
export function linksOf(document: Document): string[] {
  const links = [...proseOf(document).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
  return links.filter((target) => !/^[a-z]+:/.test(target))
}

/** The anchors of a document's headings. */
export function anchorsOf(document: Document): string[] {
  return [...proseOf(document).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => anchorOf(title))
}

/** The anchor of a heading, as GitHub and npm make it. */
export function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}
