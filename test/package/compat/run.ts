import { cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { installPacked, linkOptionalPeers, makeProject, type Project } from '../dist/install.ts'
import { checkAdded } from './added.ts'
import { printTotal } from './check.ts'
import { checkManagers } from './managers.ts'
import { checkRunners } from './runners.ts'
import { installed, installTools, REPOSITORY } from './tools.ts'
import { checkTypes } from './types.ts'

/**
 * The environments of users of the packed tarball: compilers from 5.6 on, ways to resolve modules, ES modules and CommonJS, the test
 * runners of our examples on Node 22, 24 and 26, package managers, and what `lineclear init` adds to projects that have them. `npm run compat`, with `-- --only-install` to install the tools only.
 */
/** What the tests of types import. */
const LINKED = [
  '@aws-lambda-powertools/jmespath',
  '@aws-lambda-powertools/logger',
  'zod',
  'valibot',
  'vitest',
  'pg',
  '@types/pg',
  'kysely',
]

async function checkPacked(): Promise<void> {
  const project = await makeProject()
  try {
    const { commonJs, tarball } = await fill(project)
    await checkTypes(project.directory, commonJs)
    await checkRunners(project.directory, commonJs)
    await checkAdded(project)
    await checkManagers(tarball)
  } finally {
    await rm(project.directory, { recursive: true, force: true })
  }
}

/** @returns the folder of CommonJS, and what was packed */
async function fill(project: Project): Promise<{ commonJs: string; tarball: string }> {
  const { directory } = project
  const tarball = await installPacked(project)
  await linkOptionalPeers(project)
  await link(directory, '@jest/globals', installed('@jest/globals'))
  for (const name of LINKED) await link(directory, name, join(REPOSITORY, 'node_modules', name))
  const copy = (from: string, to: string) =>
    cp(join(REPOSITORY, from), join(directory, to), { recursive: true })
  await copy('test/package/compat/consumers', '.')
  await copy('test/package/compat/consumers/consumer.ts', 'commonjs/consumer.ts')
  await copy('examples/testing', '.')
  await copy('examples/testing/orders.jest.cjs', 'commonjs/orders.jest.cjs')
  await copy('test/package/types', 'wrong')
  await writeFile(join(directory, 'commonjs/package.json'), '{}')
  return { commonJs: join(directory, 'commonjs'), tarball }
}

async function link(directory: string, name: string, to: string): Promise<void> {
  const at = join(directory, 'node_modules', name)
  await mkdir(dirname(at), { recursive: true })
  await symlink(to, at)
}

await installTools()
if (!process.argv.includes('--only-install')) {
  await checkPacked()
  if (!printTotal()) process.exitCode = 1
}
