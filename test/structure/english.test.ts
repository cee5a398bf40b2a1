import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commentsIn, type Paragraph, paragraphsOf } from './comments.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/** Folders whose comments are held to the table. */
const FOLDERS: readonly string[] = ['src/library', 'src/testing', 'src/tools', 'examples']

interface Pattern {
  readonly pattern: RegExp
  /** Why a reader stops there. */
  readonly reason: string
  readonly planted: string
}

/** At the beginning of a paragraph, of a tag or of a sentence. */
const BEGIN = String.raw`(?:^(?:@\w+ )?(?:\*\*)?|(?<=[.:;] ))`

const beginsWith = (words: string): RegExp => new RegExp(`${BEGIN}(?:${words})\\b`)
const has = (words: string): RegExp => new RegExp(`\\b(?:${words})\\b`, 'i')

/** Each row is one way in which a sentence has no subject, no verb, or no noun of the field. */
const PATTERNS: readonly Pattern[] = [
  {
    pattern: beginsWith('Of'),
    reason: 'It has no subject: begin with the thing itself',
    planted: 'Of an AggregateError.',
  },
  {
    pattern: beginsWith('That of|Those of'),
    reason: 'A possessive needs its noun: which fence, which connection',
    planted: 'Grows for ever. That of a request begins at 1.',
  },
  {
    pattern: beginsWith('Whose'),
    reason: 'A possessive needs its noun: name the owner',
    planted: 'Whose child the span is.',
  },
  {
    pattern: beginsWith('As for'),
    reason: 'Name the function that does the same, and say what it does',
    planted: 'As for `roleOrUser`: another session finds the same key.',
  },
  {
    pattern: has('comes? back|coming back|came back'),
    reason: 'Say who does it: SQS delivers it again, it stays on its queue, it is sent again',
    planted: 'The record comes back.',
  },
  {
    pattern: has('stands? for'),
    reason: 'Say what it is: means, contains, is written in place of',
    planted: 'The body stands for no request.',
  },
  {
    pattern: has('(?:is|are|be|was|were) told'),
    reason: 'Say what happens: is called, is logged, is reported',
    planted: 'Each of them is told at the end.',
  },
  {
    pattern: has('(?:has|have) come'),
    reason: 'Say what happened: has arrived, is due, has progressed',
    planted: 'Answers that have come meanwhile are kept.',
  },
  {
    pattern: has('whoever|nobody|somebody'),
    reason: 'Name the role: the caller, the operator, the process',
    planted: 'It is not awaited, as nobody needs it.',
  },
  {
    pattern: has('dearer'),
    reason: 'Give the cost: write units, requests, milliseconds',
    planted: 'A second read would be dearer.',
  },
  {
    pattern: has('once more'),
    reason: 'It reads as `one time longer`: write again',
    planted: 'The write is tried once more.',
  },
  {
    pattern: has('the mend|by itself alone'),
    reason: 'A private word: name the function or the condition',
    planted: 'This is left to the mend.',
  },
]

/** `path:line: text (reason)` of each paragraph that is not plain. */
function unplain(path: string, paragraphs: readonly Paragraph[]): readonly string[] {
  return paragraphs.flatMap(({ line, text }) =>
    PATTERNS.filter(({ pattern }) => pattern.test(text)).map(
      ({ reason }) => `${path}:${line}: ${text} (${reason})`,
    ),
  )
}

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

describe('English is plain', () => {
  it.each(FOLDERS)('in the comments of %s', (folder) => {
    const files = globSync(`${folder}/**/*.{ts,tsx}`, { cwd: ROOT })
    expect(files.length).toBeGreaterThan(20)
    expect(files.flatMap((file) => unplain(file, commentsIn(read(file), file)))).toEqual([])
  })

  it('in the documents', () => {
    const files = globSync(['*.md', '{src,test,examples}/**/*.md'], { cwd: ROOT })
    expect(files.length).toBeGreaterThan(20)
    expect(files.flatMap((file) => unplain(file, paragraphsOf(read(file))))).toEqual([])
  })

  it.each(PATTERNS)('and $planted is found', ({ reason, planted }) => {
    const [first = '', ...rest] = planted.split(' ')
    const found = (line: number) => [`planted:${line}: ${planted} (${reason})`]
    const inCode = (code: string) => unplain('planted', commentsIn(code, 'planted.ts'))
    const inText = (text: string) => unplain('planted', paragraphsOf(text))
    expect(inCode(`const a = 1\n// ${first}\n  // ${rest.join(' ')}`)).toEqual(found(2))
    expect(inCode(`/** ${planted} */\nconst a = 1`)).toEqual(found(1))
    expect(inCode(`/**\n * A fence.\n *\n * ${planted}\n * @returns 1\n */`)).toEqual(found(1))
    expect(inText(`# Fences\n\n1. ${first}\n   ${rest.join(' ')}\n2. A claim.`)).toEqual(found(3))
    expect(inText(`|what|why|\n|---|---|\n|fence|${planted}|`)).toEqual(found(3))
  })

  it('and texts, templates, regular expressions and examples are no comments', () => {
    const code = [
      "const url = 'https://example.com // Of a text'",
      'const text = `/* Of a template */ ${url /* Seen in a template. */}`',
      String.raw`const pattern = /\/\/ Of a pattern/`,
      '/**',
      ' * A fence.',
      ' * @example // Of an example',
      ' * @returns 1',
      ' */',
    ].join('\n')
    const jsx = 'export const page = <p title="// Of a title">Https:// Of a text {/* Seen. */}</p>'
    expect(commentsIn(code, 'planted.ts')).toEqual([
      { line: 2, text: 'Seen in a template.' },
      { line: 4, text: 'A fence.' },
      { line: 4, text: '@returns 1' },
    ])
    expect(commentsIn(jsx, 'planted.tsx')).toEqual([{ line: 1, text: 'Seen.' }])
  })

  it('and fenced blocks are no paragraphs', () => {
    const text = '# Fences\n\n```sh\nOf a command\n```\n\nTwo lines\nof prose.\n- An item.'
    expect(paragraphsOf(text)).toEqual([
      { line: 1, text: 'Fences' },
      { line: 7, text: 'Two lines of prose.' },
      { line: 9, text: 'An item.' },
    ])
  })
})
