import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { type Mark, marksIn } from './marks.ts'

/** A condition, fence, guard or limit that is marked in `src`. */
export interface Protection extends Pick<Mark, 'protects' | 'exception'> {
  /** From the root of the repository. */
  readonly file: string
  /** Parts of the paths of the tests that are most likely to notice, the likeliest first. */
  readonly tests: readonly string[]
}

export const ROOT: string = resolve(import.meta.dirname, '../../..')

/** All protections, by their files. */
export const PROTECTIONS: readonly Protection[] = globSync('src/**/*.ts', { cwd: ROOT })
  .toSorted()
  .flatMap((file) => {
    const marks = marksIn(readFileSync(join(ROOT, file), 'utf8'))
    const room = testsBeside(relative('src', dirname(file)))
    return marks.map(({ protects, exception, tests }) => ({
      file,
      protects,
      exception,
      tests: [...tests, room],
    }))
  })

/**
 * The folder of tests of the same name, or of the nearest room above it. Tests leave out the folders that only gather rooms:
 * `library/run/context` has its tests in `test/context`.
 */
export function testsBeside(room: string): string {
  const names = room.split('/')
  const beside = names
    .map((_, gathering) => join('test', ...names.slice(gathering)))
    .find((folder) => existsSync(join(ROOT, folder)))
  return beside ?? testsBeside(dirname(room))
}
