// @acts

import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, sep } from 'node:path'
import type { Addition, Insert, ProjectFile } from './project.ts'

/** Files to be written, and files that get more text: here with all of their text. */
export interface Plan {
  readonly files: readonly ProjectFile[]
  readonly changed: readonly ProjectFile[]
  /** Files that have no place for it, and can do without. */
  readonly left: readonly Pick<ProjectFile, 'path' | 'what'>[]
  /** What to type when they are written. */
  readonly next: readonly string[]
  /** What the project does not say, or what init does not write, and what was taken instead. */
  readonly assumed?: readonly string[]
  /** What is left to the user: where the new files are to be named. */
  readonly paste?: string
  /** Why none of it may be written into this folder, and what helps. */
  readonly obstacle?: string | undefined
}

/** What prevents a new project; undefined: nothing does. Names that begin with a dot, such as `.git`, do not. */
export function obstacleTo(files: readonly ProjectFile[], folder: string): string | undefined {
  try {
    const held = readdirSync(folder).filter((name) => !name.startsWith('.'))
    if (held.length > 0) {
      return `expected an empty folder; it has ${held.slice(0, 3).join(', ')}. Make one: mkdir shop && cd shop`
    }
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

const LINKED = 'put a folder or a file in place of the link'

/** Whether a link on the way to it, or it itself, points out of the folder, or to nothing. */
function leadsOut(folder: string, path: string): boolean {
  const root = realpathSync(folder)
  const steps = path.split('/')
  return steps.some((_, at) => {
    const step = join(folder, ...steps.slice(0, at + 1))
    if (!isThere(step)) return false
    try {
      const real = realpathSync(step)
      return real !== root && !real.startsWith(root + sep)
    } catch {
      return true
    }
  })
}

/** @returns what prevents it, or what is to be written */
export function planFiles(
  { files, inserts }: Addition,
  folder: string,
): string | Pick<Plan, 'files' | 'changed' | 'left'> {
  const isNew = (file: Addition['files'][number]): boolean =>
    file.shared !== true || !isThere(join(folder, file.path))
  const added = files.filter(isNew)
  const there = thereAlready(added, folder)
  if (there !== undefined) return there
  const outside = [...added, ...inserts].find(({ path }) => leadsOut(folder, path))
  if (outside !== undefined) {
    return `${outside.path} is reached by a link that leads out of the project: ${LINKED}`
  }
  const changed: ProjectFile[] = []
  const made: ProjectFile[] = []
  const left: Plan['left'][number][] = []
  for (const [path, own] of Map.groupBy(inserts, (insert) => insert.path)) {
    const at = join(folder, path)
    const isNewFile = !isThere(at) && own[0]?.base !== undefined
    const after = withAll(isThere(at) ? readFileSync(at, 'utf8') : (own[0]?.base ?? ''), own)
    if (typeof after === 'string' && isNewFile) {
      made.push({ path, what: 'what it needs in AWS', text: after })
    } else if (typeof after === 'string') {
      changed.push({ path, what: 'more in it, and the rest as it is', text: after })
    } else if (own.every(({ optional }) => optional)) {
      const what = isThere(at)
        ? `stays as it is: it ${after.has}. Add there what it needs`
        : 'is not there and is not made: npm run dev needs it'
      left.push({ path, what })
    } else return `${path} ${after.has}: ${after.cure}`
  }
  return { files: [...added, ...made], changed, left }
}

/** Why text has no place in a file, and what helps. */
interface Obstacle {
  readonly has: string
  readonly cure: string
}

function withAll(before: string, inserts: readonly Insert[]): string | Obstacle {
  let text = before
  for (const insert of inserts) {
    const after = withInsert(text, insert)
    if (typeof after !== 'string') return after
    text = after
  }
  return text
}

function withInsert(text: string, { at, text: added }: Insert): string | Obstacle {
  if (at === 'first') return added + text
  if (at === 'last') return insertedAt(text.length, text, added)
  const start = text.search(at.start)
  const body = text.indexOf('\n', start) + 1
  if (start < 0 || body === 0) {
    return { has: `has no section ${at.name} of its own`, cure: 'write there what it needs' }
  }
  const length = text.slice(body).search(at.end)
  const end = length < 0 ? text.length : body + length
  // Two names can give one key: of `a-1` and `a1`, and of a flow and another's stage.
  const there = new Set(text.slice(body, end).match(at.keys))
  const twice = added.match(at.keys)?.find((key) => there.has(key))
  if (twice !== undefined) return { has: `has ${twice} already`, cure: 'take another name' }
  return insertedAt(end, text, added)
}

/** On a line of its own, before the blank lines at that place. */
function insertedAt(end: number, text: string, added: string): string {
  const before = text.slice(0, end).trimEnd()
  return `${before}\n${added}${text.slice(before.length).replace(/^\n/, '')}`
}

/** @returns the first that could not be written, and why; the files before it stay. A file that is there by now is not replaced */
export function writeFiles(
  { files, changed }: Pick<Plan, 'files' | 'changed'>,
  folder: string,
): string | undefined {
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
