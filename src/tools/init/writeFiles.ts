import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Addition, Insert, ProjectFile } from './project.ts'

/** Files to be written, and files that get more text: here with all of their text. */
export interface Plan {
  readonly files: readonly ProjectFile[]
  readonly changed: readonly ProjectFile[]
}

/** What stands in the way of a new project; undefined: nothing does. Names that begin with a dot, such as `.git`, do not. */
export function obstacleTo(files: readonly ProjectFile[], folder: string): string | undefined {
  try {
    const held = readdirSync(folder).filter((name) => !name.startsWith('.'))
    if (held.length > 0) return `expected an empty folder; it has ${held.slice(0, 3).join(', ')}`
  } catch (error) {
    return said(error)
  }
  return thereAlready(files, folder)
}

function thereAlready(files: readonly ProjectFile[], folder: string): string | undefined {
  const there = files.find(({ path }) => isThere(join(folder, path)))
  return there && `${there.path} is there already`
}

/** Also a symbolic link to nothing: a write would go where it points. */
function isThere(path: string): boolean {
  try {
    lstatSync(path)
    return true
  } catch {
    return false
  }
}

/** @returns what stands in the way, or what is to be written */
export function planned({ files, inserts }: Addition, folder: string): string | Plan {
  const isNew = (file: Addition['files'][number]): boolean =>
    file.shared !== true || !isThere(join(folder, file.path))
  const added = files.filter(isNew)
  const there = thereAlready(added, folder)
  if (there !== undefined) return there
  const texts = new Map<string, string>()
  for (const insert of inserts) {
    const { path, at } = insert
    const before = texts.get(path) ?? readFileSync(join(folder, path), 'utf8')
    const twice = keyTwice(before, insert)
    if (twice !== undefined) return `${path} has ${twice} already: take another name`
    const text = withInsert(before, insert)
    if (text === undefined)
      return `${path} has no section ${at} of its own: write there what it needs`
    texts.set(path, text)
  }
  const changed = [...texts].map(([path, text]) => ({
    path,
    what: 'more in it, and the rest as it is',
    text,
  }))
  return { files: added, changed }
}

/** A key of YAML that would be there twice. Two names can give one: of `a-1` and `a1`, and of a flow and another's stage. */
function keyTwice(text: string, { at, text: added }: Insert): string | undefined {
  if (at === 'first' || at === 'last') return undefined
  const there = new Set(text.match(KEY))
  return added.match(KEY)?.find((key) => there.has(key))
}

const KEY = /(?<=^ {2})\w+(?=:)/gm

/** @returns undefined when there is no such section */
function withInsert(text: string, { at, text: added }: Insert): string | undefined {
  if (at === 'first') return added + text
  const start = at === 'last' ? 0 : text.search(new RegExp(`^${at}:\\s*$`, 'm'))
  if (start < 0) return undefined
  const body = text.indexOf('\n', start) + 1
  const next = at === 'last' ? -1 : text.slice(body).search(/^[^\s#]/m)
  const before = text.slice(0, next < 0 ? text.length : body + next).trimEnd()
  return `${before}\n${added}${text.slice(before.length).replace(/^\n/, '')}`
}

/** @returns the first that could not be written, and why; the files before it stay. A file that is there by now is not replaced */
export function writeFiles({ files, changed }: Plan, folder: string): string | undefined {
  const flagged = [
    ...files.map((file) => [file, 'wx'] as const),
    ...changed.map((file) => [file, 'w'] as const),
  ]
  for (const [{ path, text }, flag] of flagged) {
    const file = join(folder, path)
    try {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text, { flag })
    } catch (error) {
      return `${path} is not written: ${said(error)}`
    }
  }
  return undefined
}

function said(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
