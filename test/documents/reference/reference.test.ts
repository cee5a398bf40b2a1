import { expect, it } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }
import { documents } from '../readme/documents.ts'
import { packedFiles } from '../readme/packedFiles.ts'
import { readDeclarations } from './declarations.ts'
import { llmsText } from './llmsText.ts'
import { declarationText, reference } from './reference.ts'

const SOURCE = `import { a } from './a.ts'

/** Its argument. */
export interface Options<Given extends object = object>
  extends Base {
  /** Its name, for {@link Kind}. Default: a. */
  readonly name?: string

  /**
   * Called once.
   * @example run(1)
   */
  run<T>(
    value: T,
  ): Promise<T>
  readonly nested: {
    /** Inside. */
    readonly one: 1
    /** Beside it. */
    readonly two: (
      value: 2,
    ) => void
    readonly three: 3
  }
}

/** Only work() takes it. */
interface Hidden {
  readonly x: 1
}

export type Kind = 'a' | 'b'
export type Other =
  | { readonly a: 1 }
  /** Second. */
  | { readonly b: 2 }

/** Does it. */
export async function work(
  options: Options,
): Promise<void> {
  return undefined
}

/** Takes either. */
export function either(one: 1): 1
export function either(other: 2): 2
export function either(given: 1 | 2): 1 | 2 {
  return given
}

/** Fails. */
export class Failure extends Error {
  readonly code = 1
}
`

const pages = reference()

const targetsIn = (text: string) =>
  [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target)

it('the first page leads to all others, each of which is there', () => {
  const files = pages.slice(1).map(({ name }) => `${name}.md`)
  expect(targetsIn(pages[0]?.text ?? '')).toEqual(files)
})

it('llms.txt is in the package, and leads to all pages and to documents that are there, too', async () => {
  expect(manifest.files).toContain('llms.txt')
  const isPage = (target: string): boolean => target.startsWith('dist/docs/')
  const targets = targetsIn(llmsText(pages, documents))
  const files = pages.slice(1).map(({ name }) => `dist/docs/${name}.md`)
  expect(targets.filter(isPage)).toEqual(files)
  const packed = await packedFiles()
  expect(targets.filter((target) => !isPage(target) && !packed.has(target))).toEqual([])
})

it('no page has a tag of a doc comment left, or a type without its arguments', () => {
  const text = pages.map((page) => page.text).join('')
  expect(text).not.toMatch(/\{@link|\. @example|`(?:Omit|Pick|Readonly)`/)
})

it('has what a description of a cloud consists of, and what calls an outside system', () => {
  const entries = pages.flatMap(({ text }) => text.match(/(?<=^## )\w+$/gm) ?? [])
  const named = ['CloudDescription', 'QueueDescription', 'TableDescription', 'CallOutside']
  expect(entries).toEqual(expect.arrayContaining(named))
})

it('an option, its default, its example and its links are shown as they are written', () => {
  const text = readDeclarations(SOURCE)
    .map((each) => declarationText({ ...each, file: 'a.ts' }))
    .join('\n')
  expect(text).toContain('- **`name?: string`**  \n  Its name, for `Kind`. Default: a.')
  expect(text).toContain('Called once.\n  Example: `run(1)`')
  expect(text).toContain('Has what `Base` has, and:')
})

it('says of each name what it is', () => {
  const parts = pages.slice(1, -1).flatMap(({ text }) => text.split(/^## /m).slice(1))
  const silent = parts.filter((part) => {
    const about = part
      .replaceAll(/^```[^]*?^```$/gm, '')
      .split('\n')
      .slice(1)
    const head = /^(?:`function |- \*\*|Has what |<!--)/
    return !about.some((line) => /\w \w/.test(line) && !head.test(line))
  })
  expect(silent.map((part) => part.split('\n')[0])).toEqual([])
})

it('reads interfaces and what is exported, with their doc comments and members', () => {
  expect(readDeclarations(SOURCE)).toMatchObject([
    {
      name: 'Options',
      kind: 'interface',
      doc: 'Its argument.',
      head: 'interface Options<Given extends object = object> extends Base',
      members: [
        { signature: 'name?: string', doc: 'Its name, for `Kind`. Default: a.' },
        {
          signature: 'run<T>(value: T): Promise<T>',
          doc: 'Called once.\n@example run(1)',
        },
        {
          signature:
            'nested: { readonly one: 1; readonly two: (value: 2) => void; readonly three: 3 }',
          doc: '',
        },
      ],
    },
    {
      name: 'Hidden',
      isExported: false,
      kind: 'interface',
      doc: 'Only work() takes it.',
      head: 'interface Hidden',
      members: [{ signature: 'x: 1', doc: '' }],
    },
    {
      name: 'Failure',
      isExported: true,
      kind: 'class',
      doc: 'Fails.',
      head: 'class Failure extends Error',
      members: [],
    },
    {
      name: 'work',
      kind: 'function',
      doc: 'Does it.',
      head: 'function work(options: Options): Promise<void>',
      members: [],
    },
    {
      name: 'either',
      kind: 'function',
      doc: 'Takes either.',
      head: 'function either(one: 1): 1\nfunction either(other: 2): 2',
    },
    { name: 'Kind', kind: 'type', doc: '', members: [] },
    { name: 'Other', kind: 'type', doc: '', members: [] },
  ])
})
