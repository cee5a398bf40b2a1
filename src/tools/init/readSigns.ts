// @acts

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Signs } from './style.ts'

const FOLDERS = ['', 'src', 'lib', 'bin', 'test', 'tests']

/** In which style the project in this folder is written. What `init` has put into `lineclear` says nothing about it. */
export function readSigns(folder: string): Signs {
  const paths = FOLDERS.flatMap((each) => filesIn(join(folder, each)))
  return {
    manifest: readText(join(folder, 'package.json')),
    tsconfig: readText(join(folder, 'tsconfig.json')),
    names: paths.map((path) => path.replace(/^.*[/\\]/, '')),
    scripts: paths
      .filter((path) => /(?<!\.config)\.js$/.test(path))
      .flatMap((path) => readText(path) ?? []),
  }
}

/** What cannot be read says nothing. */
function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((each) => each.isFile())
      .map(({ name }) => join(folder, name))
  } catch {
    return []
  }
}

export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
