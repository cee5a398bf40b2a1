import { existsSync, readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { mistakeIn } from './commands.ts'
import {
  anchorsOf,
  type Block,
  blocksOf,
  codeSpansOf,
  type Document,
  documents,
  linksOf,
  ROOT,
} from './documents.ts'
import { differenceFrom } from './excerpt.ts'
import { packedFiles } from './packedFiles.ts'

/*
 * Every Markdown file of the repository is held to this. To show code in one of them:
 *
 * 1. write it as a real file that `tsc` compiles (and, best, that a test runs): an example, a test, or the source itself;
 * 2. name that file, from the root of the repository, in a comment right above the fence:
 *
 *        <!-- examples/orders/handler.ts -->
 *        ```ts
 *        …the file, or whole lines of it
 *        ```
 *
 * The block is the file, or consecutive lines of it or of its doc comments, moved to the left margin if you like. A line `// …` (or `# …`) stands for
 * lines that were left out. This holds for ts, js, yaml and json. In `sh` blocks, and in code spans that begin with npm, npx or
 * lineclear, scripts, packages, commands and paths have to exist. A code span that looks like a path of the repository is one:
 * from the document's folder, from the root, from `src`, or from the library. Of the source and the tests it is a folder, so that a file can be
 * renamed or divided without a change here. Any other block (no language, or `text`) is shown as it is.
 */

const CODE = ['ts', 'typescript', 'js', 'javascript', 'mjs', 'cjs', 'yaml', 'yml', 'json']
const SHELL = ['sh', 'bash', 'shell']

describe.each(documents)('$path', (document) => {
  const blocks = blocksOf(document)

  it('shows code only as it stands in a file', () => {
    const problems = blocks.filter(({ language }) => CODE.includes(language)).map(problemOfCode)
    const wrong = problems.filter(Boolean)
    expect(wrong, 'Correct the block, or the file that it quotes').toEqual([])
  })

  it('has no link that leads nowhere', () => {
    expect(linksOf(document).filter((link) => !leadsSomewhere(document, link))).toEqual([])
  })

  it('names no file or folder that does not exist', () => {
    const paths = codeSpansOf(document).filter(isPath)
    expect(paths.filter((path) => !isThere(document, path))).toEqual([])
  })

  it('names folders of the source and of the tests, and no files there', () => {
    const links = linksOf(document).map((link) => targetOf(document, link))
    const spans = codeSpansOf(document).flatMap((span) => span.split(' '))
    const named = [...links, ...spans.filter(isPath)].filter((path) => CODE_FILE.test(path))
    expect(named.filter((path) => isOfUs(document, path))).toEqual([])
  })
})

/** A changelog speaks of what is gone. */
const ofToday = documents.filter(({ path }) => path !== 'CHANGELOG.md')

it.each(ofToday)('$path has no command that does not exist', (document) => {
  const shell = blocksOf(document).filter(({ language }) => SHELL.includes(language))
  const spans = codeSpansOf(document).filter((span) => /^(?:npm|npx|lineclear) /.test(span))
  const lines = [...shell.flatMap(({ text }) => text.split('\n')), ...spans]
  expect(lines.map(mistakeIn).filter(Boolean)).toEqual([])
})

it('links from the package, and shows of examples, only what the package has', async () => {
  const packed = await packedFiles()
  const inPackage = documents.filter(({ path }) => packed.has(path))
  expect(inPackage.map(({ path }) => path)).toContain('README.md')
  const missing = inPackage.flatMap((document) => {
    const links = linksOf(document).map((link) => targetOf(document, link))
    const shown = blocksOf(document).flatMap(({ file }) => file ?? [])
    return [...links, ...shown.filter((file) => file.startsWith('examples/'))]
      .filter((target) => !packed.has(target))
      .map((target) => `${document.path}: ${target}`)
  })
  expect(missing, 'Linked, but not in the package: see `files` of package.json').toEqual([])
})

function problemOfCode({ file, text, line }: Block): string | undefined {
  if (file === undefined) return `line ${line}: no file is named above the fence`
  if (!existsSync(join(ROOT, file))) return `line ${line}: there is no ${file}`
  if (file.endsWith('.ts') && !/^(?:src|test|examples)\//.test(file)) {
    return `line ${line}: tsc does not compile ${file}`
  }
  const source = readFileSync(join(ROOT, file), 'utf8')
  const difference = differenceFrom(source, text) && differenceFrom(docsOf(source), text)
  return difference && `line ${line}: not in ${file}: ${difference}`
}

/** The source with its doc comments' frames taken off: an `@example` is shown as code. */
function docsOf(source: string): string {
  return source.replaceAll(/^\s*(?:\/\*)?\*(?: |$)/gm, '').replaceAll(/^@example /gm, '')
}

function leadsSomewhere(document: Document, link: string): boolean {
  const target = targetOf(document, link)
  if (!existsSync(join(ROOT, target))) return false
  const anchor = link.split('#')[1]
  const there = documents.find(({ path }) => path === target)
  return anchor === undefined || there === undefined || anchorsOf(there).includes(anchor)
}

function targetOf({ folder, path }: Document, link: string): string {
  const [file = ''] = link.split('#')
  return file === '' ? path : normalize(join(folder, file))
}

function isPath(span: string): boolean {
  if (!/^[\w./{},-]+$/.test(span) || span.startsWith('/')) return false
  return (
    /^(?:src|test|examples|\.ci)\//.test(span) ||
    /[a-z](?:\.(?:[cm]?[jt]s|ya?ml|md)|\/)$/.test(span)
  )
}

function isThere(document: Document, path: string): boolean {
  return placesOf(document, path).some((place) => existsSync(join(ROOT, place)))
}

/** What a path may mean, from the root. */
function placesOf({ folder }: Document, path: string): readonly string[] {
  return [folder, '.', 'src', 'src/library'].map((from) => normalize(join(from, path)))
}

const CODE_FILE = /\.(?:tsx?|css)$/

/** Files of examples, and those that a user has, are named. */
function isOfUs(document: Document, path: string): boolean {
  return placesOf(document, path).some(
    (place) => /^(?:src|test)\//.test(place) && existsSync(join(ROOT, place)),
  )
}
