import { resolve } from 'node:path'
import manifest from '../../../package.json' with { type: 'json' }

/** Sources, from the root of the repository, by the names that their files have in the package. */
export type Entries = Readonly<Record<string, string>>

export const ROOT: string = resolve(import.meta.dirname, '../../..')
export const DIST: string = resolve(ROOT, 'dist')

/** What `exports` of package.json opens: `index` and, of `lineclear/s3`, `s3`. */
export const PUBLIC: Entries = Object.fromEntries(
  Object.entries(manifest.exports).flatMap(([path, target]) =>
    typeof target === 'string'
      ? []
      : [[path.slice(2) || 'index', target['lineclear:source'].replace('./', '')]],
  ),
)

const NOT_FOR_LAMBDA: ReadonlySet<string> = new Set(['cdk', 'local', 'testing', 'worker'])
/** What a function can hold. */
export const FOR_LAMBDA: Entries = Object.fromEntries(
  Object.entries(PUBLIC).filter(([name]) => !NOT_FOR_LAMBDA.has(name)),
)

/** Start as processes, found by their paths. */
export const PROGRAMS: Entries = namedByPath([
  'src/tools/cli/main.ts',
  'src/tools/console/dev/child.ts',
])

/** Bundled by the CDK, found by its path. */
export const SWEEPER: Entries = namedByPath(['src/tools/cdk/sweeperFunction.ts'])

export function namedByPath(files: readonly string[]): Entries {
  const name = (file: string): string => file.replace(/^src\/|\.ts$/g, '').replaceAll('/', '-')
  return Object.fromEntries(files.map((file) => [name(file), file]))
}
