import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { diagnose } from '../../../src/tools/doctor/rules/diagnose.ts'
import { fromTemplate } from '../../tools/doctor/from.ts'
import { binary, installPacked, linkOptionalPeers, makeProject, type Project } from './install.ts'
import { run } from './run.ts'

const REPOSITORY = resolve(import.meta.dirname, '../../..')

let project: Project

/** A user's project: the packed tarball, the example in it, and what `src/tools/cdk/README.md` installs. */
beforeAll(async () => {
  project = await makeProject()
  await installPacked(project)
  await linkOptionalPeers(project)
  const { directory } = project
  await cp(join(REPOSITORY, 'examples/cdk'), join(directory, 'examples/cdk'), { recursive: true })
  await cp(join(REPOSITORY, 'package-lock.json'), join(directory, 'package-lock.json'))
  for (const name of ['esbuild', 'zod', '.bin']) {
    await symlink(join(REPOSITORY, 'node_modules', name), join(directory, 'node_modules', name))
  }
  await mkdir(join(directory, 'out'))
})

afterAll(async () => {
  await rm(project.directory, { recursive: true, force: true })
})

/** Strict but for `exactOptionalPropertyTypes`, with which the declarations of the CDK itself do not compile. */
const STRICT = {
  target: 'ES2023',
  lib: ['ES2023'],
  types: ['node'],
  module: 'NodeNext',
  moduleResolution: 'NodeNext',
  strict: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  noEmit: true,
}

it('compiles in a strict project that checks our declarations', async () => {
  const { directory } = project
  await writeFile(join(directory, 'names.ts'), "export * from 'lineclear/cdk'\n")
  const config = { compilerOptions: STRICT, files: ['names.ts', 'examples/cdk/checkout.ts'] }
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(config))
  await expect(run(binary('tsc'), ['-p', '.'], directory)).resolves.toBe('')
})

describe('the example of five lines in a project of its own', () => {
  it('bundles its handler and the sweeper that comes with the package', async () => {
    const { directory } = project
    const out = join(directory, 'out')
    await run('env', [`CDK_OUTDIR=${out}`, binary('node'), 'examples/cdk/app.ts'], directory)
    const template: unknown = JSON.parse(await readFile(join(out, 'Orders.template.json'), 'utf8'))
    expect(diagnose(fromTemplate(template))).toEqual([])
    const folders = (await readdir(out)).filter((name) => name.startsWith('asset.'))
    expect(folders).toHaveLength(2)
    const bundles = await Promise.all(
      folders.map((folder) => readFile(join(out, folder, 'index.mjs'), 'utf8')),
    )
    for (const text of bundles) {
      expect(text).not.toMatch(/aws-cdk-lib|NodejsFunction/)
      // As it is written in the source: the build of the package once took its `import.meta.url` for one of its own.
      expect(text).toContain('const require = createRequire(import.meta.url);')
    }
    const loaded = await Promise.all(
      folders.map((folder) =>
        run(
          'env',
          [
            'LINECLEAR_TABLE=lineclear',
            binary('node'),
            '-e',
            `import('${join(out, folder, 'index.mjs')}').then(({ handler }) => console.log(typeof handler))`,
          ],
          directory,
        ),
      ),
    )
    expect(loaded.map((said) => said.trim())).toEqual(['function', 'function'])
  })
})
