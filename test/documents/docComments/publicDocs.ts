import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** A name that a user can import, or a method that a handler can call, with what an editor shows of it. */
export interface PublicDoc {
  /** `lineclear/s3`. */
  readonly entry: string
  /** `s3Objects`, or `RecordContext.put` for a method. */
  readonly name: string
  /** The comment without its frame. undefined: there is none. */
  readonly comment: string | undefined
  readonly examples: readonly string[]
  /** Whether it is called: a function, or a method. */
  readonly isCalled: boolean
}

/** What handlers are given, and what factories return: their methods are part of the reference too. */
const WITH_METHODS = [
  'RecordContext',
  'FlowContext',
  'CompleteContext',
  'AnswerContext',
  'Flow',
  'Lock',
  'LockTokens',
  'OnceForever',
  'Producer',
]

const ROOT = resolve(import.meta.dirname, '../../..')

/** Every public name of every entry, each where it is declared. */
export function publicDocs(): readonly PublicDoc[] {
  return Object.entries(entryFiles()).flatMap(([entry, file]) =>
    declarationsOf(file).flatMap((declaration) => docsOf(entry, declaration)),
  )
}

/** The source of each entry, by what users import: `lineclear`, `lineclear/s3`. */
export function entryFiles(): Readonly<Record<string, string>> {
  const manifest = JSON.parse(readFileSync(resolve(ROOT, 'package.json'), 'utf8')) as Manifest
  const entries = Object.entries(manifest.exports).flatMap(([path, target]) =>
    typeof target === 'string'
      ? []
      : [
          [
            path.replace(/^\./, 'lineclear'),
            resolve(ROOT, target['lineclear:source'] ?? ''),
          ] as const,
        ],
  )
  return Object.fromEntries(entries)
}

interface Manifest {
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
}

interface Declaration {
  readonly name: string
  readonly file: string
}

function declarationsOf(file: string): readonly Declaration[] {
  const text = readFileSync(file, 'utf8')
  const reExported = [...text.matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)'/gm)].flatMap(
    ([, names = '', from = '']) =>
      namesIn(names).map((name) => ({ name, file: sourceOf(file, from) })),
  )
  const all = [...text.matchAll(/^export \* from '([^']+)'/gm)].flatMap(([, from = '']) =>
    declarationsOf(sourceOf(file, from)),
  )
  const own = [...text.matchAll(DECLARED)].map(([, , name = '']) => ({ name, file }))
  return [...reExported, ...all, ...own]
}

const DECLARED =
  /^export (?:abstract |async )*(function\*?|const|class|interface|type) (\w+)(?=[\s<(:=])/gm

function namesIn(list: string): readonly string[] {
  return list.split(',').flatMap((each) => each.trim().split(/\s+/).at(-1) || [])
}

function sourceOf(file: string, from: string): string {
  return resolve(dirname(file), from)
}

function docsOf(entry: string, { name, file }: Declaration): readonly PublicDoc[] {
  const text = readFileSync(file, 'utf8')
  const found = [...text.matchAll(DECLARED)].find(([, , declared]) => declared === name)
  if (found === undefined) {
    const again = declarationsOf(file).find((other) => other.name === name)
    if (again === undefined || again.file === file) throw new Error(`${entry}: where is ${name}?`)
    return docsOf(entry, again)
  }
  const [line, kind] = found
  const isCalled = kind?.startsWith('function') === true || isArrow(text.slice(found.index))
  const doc = { entry, name, ...commentBefore(text, found.index), isCalled }
  if (!WITH_METHODS.includes(name)) return [doc]
  return [doc, ...methodsOf(entry, name, text, found.index + line.length)]
}

function isArrow(declaration: string): boolean {
  return /^export const \w+ = (?:async )?(?:<[^>]*>)?\(/.test(declaration)
}

/** The members that stand one step in from the interface's own line and take arguments. */
function methodsOf(entry: string, name: string, text: string, from: number): readonly PublicDoc[] {
  const end = text.indexOf('\n}', from)
  const body = text.slice(0, end < 0 ? text.length : end)
  return [...body.matchAll(/^ {2}(\w+)[(<]/gm)]
    .filter(({ index }) => index > from)
    .map((found) => ({
      entry,
      name: `${name}.${found[1]}`,
      ...commentBefore(text, found.index),
      isCalled: true,
    }))
}

function commentBefore(
  text: string,
  index: number,
): { readonly comment: string | undefined; readonly examples: readonly string[] } {
  const [, framed] = /\/\*\*((?:(?!\*\/)[^])*)\*\/\s*$/.exec(text.slice(0, index)) ?? []
  if (framed === undefined) return { comment: undefined, examples: [] }
  const comment = framed.replaceAll(/^ *\* ?/gm, '').trim()
  const [, ...tags] = comment.split(/(?:^|\s)@(?=example\b)/)
  return { comment, examples: tags.map(exampleIn) }
}

/** Up to the next tag. */
function exampleIn(tag: string): string {
  const [code = ''] = tag
    .replace(/^example\s*/, '')
    .split(/\n@(?:param|returns|throws|deprecated)\b/)
  return code.trim()
}
