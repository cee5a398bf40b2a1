import { cp, mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import manifest from '../../../package.json' with { type: 'json' }
import { run } from './run.ts'

const REPOSITORY = resolve(import.meta.dirname, '../../..')
const BUILT_FROM = [
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'LICENSE',
  'README.md',
  'SECURITY.md',
  'examples',
  'package.json',
  'serverless.yml',
  'tsconfig.json',
  'src',
  'test/README.md',
]

/** Every project for Lambda has these: the types of Lambda depend on them. */
const TYPES_OF_NODE = '@types/node'

const optional = Object.keys(manifest.peerDependenciesMeta)
const required = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }).filter(
  (name) => !optional.includes(name),
)

/** A project that holds what a user gets: the packed tarball, and the packages it says it needs. */
export interface Project {
  readonly directory: string
  readonly package: string
}

export async function makeProject(): Promise<Project> {
  const directory = await mkdtemp(join(tmpdir(), 'lineclear-packed-'))
  return { directory, package: join(directory, 'node_modules', manifest.name) }
}

/** @param tarball what was packed already; else a copy is built and packed. @returns the tarball */
export async function installPacked(
  { directory, package: installed }: Project,
  tarball: string | undefined = process.env['LINECLEAR_PACKED'],
): Promise<string> {
  await mkdir(installed, { recursive: true })
  const packed = tarball ?? (await pack(directory))
  await run('tar', ['-xzf', packed, '-C', installed, '--strip-components=1'], directory)
  await writeFile(join(directory, 'package.json'), '{ "type": "module" }')
  await link(directory, [...required, TYPES_OF_NODE])
  return packed
}

/** A copy, so that neither an old `dist` nor a build at the same time can change the verdict. @returns the tarball */
async function pack(directory: string): Promise<string> {
  const copy = join(directory, 'copy')
  for (const path of BUILT_FROM) {
    await cp(join(REPOSITORY, path), join(copy, path), { recursive: true })
  }
  await symlink(join(REPOSITORY, 'node_modules'), join(copy, 'node_modules'))
  await run(process.execPath, ['src/tools/package/build.ts'], copy)
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', directory], copy)
  return join(directory, `${manifest.name}-${manifest.version}.tgz`)
}

export async function linkOptionalPeers(project: Project): Promise<void> {
  await linkPackages(project, optional)
}

/** Packages of this repository that the project needs besides. */
export async function linkPackages(project: Project, names: readonly string[]): Promise<void> {
  await link(project.directory, names)
}

export function binary(name: string): string {
  return join(REPOSITORY, 'node_modules/.bin', name)
}

async function link(directory: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const at = join(directory, 'node_modules', name)
    await mkdir(dirname(at), { recursive: true })
    await symlink(join(REPOSITORY, 'node_modules', name), at)
  }
}
