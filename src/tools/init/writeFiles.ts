import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ProjectFile } from './project.ts'

/** What stands in the way of a new project; undefined: nothing does. Names that begin with a dot, such as `.git`, do not. */
export function obstacleTo(files: readonly ProjectFile[], folder: string): string | undefined {
  try {
    const held = readdirSync(folder).filter((name) => !name.startsWith('.'))
    if (held.length > 0) return `expected an empty folder; it has ${held.slice(0, 3).join(', ')}`
  } catch (error) {
    return said(error)
  }
  const there = files.find(({ path }) => existsSync(join(folder, path)))
  return there && `${there.path} is there already`
}

/** @returns the first that could not be written, and why; the files before it stay. A file that is there by now is not replaced */
export function writeFiles(files: readonly ProjectFile[], folder: string): string | undefined {
  for (const { path, text } of files) {
    const file = join(folder, path)
    try {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text, { flag: 'wx' })
    } catch (error) {
      return `${path} is not written: ${said(error)}`
    }
  }
  return undefined
}

function said(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
