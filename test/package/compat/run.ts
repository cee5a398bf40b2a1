import { cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { installPacked, linkOptionalPeers, makeProject, type Project } from '../dist/install.ts'
import { run } from '../dist/run.ts'

/**
 * The environments of users of the packed tarball: compilers from 5.6 on, both ways to resolve modules, callers in CommonJS,
 * and the test runners of our examples. Too heavy for node_modules (130 MB): it installs them beside, and finds them there the next time.
 * `npm run compat`, with `-- --only-install` to do no more than that.
 */
const REPOSITORY = resolve(import.meta.dirname, '../../..')
const CACHE = join(REPOSITORY, '.lineclear/compat')
const COMPILERS = { ts56: '5.6.3', ts59: '5.9.3', ts60: '6.0.3' }
const JEST = '30.5.2'
/** Resolve `require` of ES modules as Node does since 22.12: from TypeScript 5.8 on. */
const REQUIRES_ESM: ReadonlySet<string> = new Set(['ts59', 'ts60', 'ts70'])

const RESOLUTIONS = [
  { module: 'NodeNext', moduleResolution: 'NodeNext' },
  { module: 'ESNext', moduleResolution: 'Bundler' },
] as const

/** As in our own tsconfig: `@ts-expect-error` counts on them. */
const OUR_OWN = { exactOptionalPropertyTypes: true, target: 'ES2023' }

/** Not a file: our own compiler settings allow no syntax that is not erased. */
const COMMONJS = `
  import lineclear = require('lineclear')
  import testing = require('lineclear/testing')
  const { recordHandler, ConfigError } = lineclear
  export const handler = recordHandler({ name: 'orders', store: testing.memoryStore() }, () => {})
  export const error: Error = new ConfigError('a')
`

let [passed, failed] = [0, 0]

async function check(what: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
    passed += 1
    console.log(`ok      ${what}`)
  } catch (error) {
    failed += 1
    console.log(`FAILED  ${what}\n${error instanceof Error ? error.message : String(error)}`)
  }
}

async function installTools(): Promise<void> {
  const dependencies = {
    jest: JEST,
    '@jest/globals': JEST,
    ...Object.fromEntries(
      Object.entries(COMPILERS).map(([name, version]) => [name, `npm:typescript@${version}`]),
    ),
  }
  await mkdir(CACHE, { recursive: true })
  await writeFile(join(CACHE, 'package.json'), JSON.stringify({ private: true, dependencies }))
  await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], CACHE)
}

async function link({ directory }: Project, name: string, from: string): Promise<void> {
  const at = join(directory, 'node_modules', name)
  await mkdir(dirname(at), { recursive: true })
  await symlink(join(from, 'node_modules', name), at)
}

async function compile(
  { directory }: Project,
  compiler: string,
  file: string,
  options: object,
): Promise<void> {
  const compilerOptions = {
    target: 'ES2022',
    lib: ['ES2023', 'ESNext.Disposable'],
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    noEmit: true,
    ...options,
  }
  await writeFile(
    join(directory, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: [file] }),
  )
  const tsc =
    compiler === 'ts70'
      ? join(REPOSITORY, 'node_modules/typescript/bin/tsc')
      : join(CACHE, 'node_modules', compiler, 'bin/tsc')
  await run(process.execPath, [tsc, '-p', '.'], directory)
}

async function checkTypes(project: Project): Promise<void> {
  for (const compiler of [...Object.keys(COMPILERS), 'ts70']) {
    for (const resolution of RESOLUTIONS) {
      for (const exactOptionalPropertyTypes of [true, false]) {
        const options = { ...resolution, exactOptionalPropertyTypes }
        const exact = exactOptionalPropertyTypes ? 'exact' : 'loose'
        await check(`${compiler} ${resolution.moduleResolution} ${exact} optional properties`, () =>
          compile(project, compiler, 'consumer.ts', options),
        )
      }
    }
    await check(`${compiler} refuses what test/types says does not compile`, () =>
      compile(project, compiler, 'wrong/*.ts', {
        ...RESOLUTIONS[0],
        ...OUR_OWN,
        skipLibCheck: true,
      }),
    )
    if (REQUIRES_ESM.has(compiler)) {
      await check(`${compiler} a caller in CommonJS`, () =>
        compile(project, compiler, 'commonjs.cts', RESOLUTIONS[0]),
      )
    }
  }
}

async function checkRunners(project: Project): Promise<void> {
  const { directory } = project
  const node = (...args: readonly string[]) => run(process.execPath, args, directory)
  const program = `
    const { recordHandler } = require('lineclear')
    const { memoryStore, sqsEvent } = require('lineclear/testing')
    const handler = recordHandler({ name: 'orders', store: memoryStore() }, () => {})
    handler(sqsEvent({ a: 1 }), {}).then((answer) => {
      if (answer.batchItemFailures.length > 0) process.exit(1)
    })`
  await writeFile(join(directory, 'caller.cjs'), program)
  await check('node require(esm)', () => node('caller.cjs'))
  await check('node:test', () => node('--test', 'orders.nodetest.ts'))
  await writeFile(join(directory, 'jest.config.js'), 'export default { transform: {} }')
  const jest = join(CACHE, 'node_modules/jest/bin/jest.js')
  await check('jest', () =>
    node('--experimental-vm-modules', jest, '--testMatch', '**/*.jest.js', '--rootDir', directory),
  )
}

/** What the tests of types import. */
const LINKED = ['zod', 'valibot', 'vitest', 'pg', '@types/pg', 'kysely']

async function checkPacked(): Promise<void> {
  const project = await makeProject()
  try {
    await installPacked(project)
    await linkOptionalPeers(project)
    await cp(join(import.meta.dirname, 'consumers'), project.directory, { recursive: true })
    await writeFile(join(project.directory, 'commonjs.cts'), COMMONJS)
    await cp(join(REPOSITORY, 'examples/testing'), project.directory, { recursive: true })
    await link(project, '@jest/globals', CACHE)
    for (const name of LINKED) await link(project, name, REPOSITORY)
    await cp(join(REPOSITORY, 'test/package/types'), join(project.directory, 'wrong'), {
      recursive: true,
    })
    await checkTypes(project)
    await checkRunners(project)
  } finally {
    await rm(project.directory, { recursive: true, force: true })
  }
}

await installTools()
if (!process.argv.includes('--only-install')) {
  await checkPacked()
  console.log(`${passed} passed, ${failed} failed`)
}
process.exitCode = failed > 0 ? 1 : 0
