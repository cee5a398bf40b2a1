import { copyFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join, relative, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }
import { serverlessBuild } from '../split/serverlessBuild.ts'
import { binary, installPacked, linkOptionalPeers, makeProject, type Project } from './install.ts'
import { publicNames, type PublicNames } from '../frozen/apiReport.ts'
import { mistakeIn } from '../frozen/frozen.ts'
import { api, changelog } from '../frozen/texts.ts'
import { run } from './run.ts'

interface Entry {
  readonly name: string
  readonly types: string
}

const CDK = 'lineclear/cdk'

/** `lineclear/cdk` and `lineclear/local` are never part of a Lambda; the others are entries of their optional peers. */
const NEED_OPTIONAL_PEERS = [CDK, 'lineclear/local', 'lineclear/opentelemetry']

/**
 * KB of Lineclear in a function, bundled as serverless.yml does, and gzipped, 3 % above what was measured. `hot` is what a cold start
 * reads: the handler and all that it imports before it runs; `all` has what is loaded on first use, too, and files that esbuild writes for other doors of `lineclear`. Of the hot 96 KB a batch that goes
 * well runs 47; the rest are options, checks of what is given, and refusals, spread over the same files.
 */
const BUDGETS = [
  { door: 'recordHandler', hot: [119, 47.3], all: [187, 76] },
  { door: 'defineFlow', hot: [197, 73.6], all: [274.5, 104.5] },
  { door: 'idempotent', hot: [103.5, 40.7], all: [200.6, 80.2] },
]

const SDK = /(import|from)\s*["']@(aws-sdk|smithy)\//

const GREW =
  'Find what was added, or raise the figure in BUDGETS of packed.test.ts and say why in the commit'

const TOO_MUCH = 'Too much for a package: leave something out'

const STRICT = {
  target: 'ES2023',
  lib: ['ES2023'],
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  noEmit: true,
}

const NODE = { module: 'NodeNext', moduleResolution: 'NodeNext' }

const entries: readonly Entry[] = Object.entries(manifest.exports).flatMap(([path, target]) =>
  typeof target === 'string'
    ? []
    : [{ name: `lineclear${path.slice(1)}`, types: target.require.types }],
)

let project: Project

beforeAll(async () => {
  project = await makeProject()
  await installPacked(project)
})

afterAll(async () => {
  await rm(project.directory, { recursive: true, force: true })
})

it('holds documents, the examples that they show and what was built, without sources and maps, and no more than users want', async () => {
  const held = await readdir(project.package, { recursive: true, withFileTypes: true })
  const files = held.filter((each) => each.isFile())
  const paths = files.map(({ parentPath, name }) =>
    relative(project.package, join(parentPath, name)),
  )
  const sizes = await Promise.all(paths.map((path) => stat(join(project.package, path))))
  const bytes = sizes.reduce((sum, { size }) => sum + size, 0)
  console.log(`The package: ${paths.length} files, ${bytes} bytes`)
  const unexpected = paths.filter(
    (path) => !/\.md$|^LICENSE$|^llms\.txt$|^package\.json$|^dist\/|^examples\//.test(path),
  )
  expect(unexpected).toEqual([])
  const built = paths.filter((path) => !path.startsWith('examples/'))
  expect(built.filter((path) => /\.map$|(?<!\.d)\.[cm]?ts$/.test(path))).toEqual([])
  expect(paths.length, TOO_MUCH).toBeLessThanOrEqual(430)
  // npm says 3.0 MB.
  expect(bytes, TOO_MUCH).toBeLessThan(3_050_000)
})

it('has one declaration file for each entry, and one for what they share', async () => {
  const files = await readdir(join(project.package, 'dist/types'))
  const own = entries.map(({ types }) => basename(types))
  expect(files.filter((file) => file.endsWith('.d.cts'))).toEqual(
    [...own, 'shared.d.cts'].toSorted(),
  )
})

it('offers the names and signatures that are checked in, or the changelog says what has changed', () => {
  expect(mistakeIn(changelog(), api(join(project.package, 'dist/types')))).toBeUndefined()
})

it('loads without the optional peers, all but the entries that stand for one', async () => {
  const names = entries
    .map(({ name }) => name)
    .filter((name) => !NEED_OPTIONAL_PEERS.includes(name))
  await expect(loadedNames(names)).resolves.toBeDefined()
})

/** From node_modules, without a bundler: each file costs half a millisecond, and the modules of a consumer are 319. */
it('gives Node a consumer in few files', async () => {
  const code = `
    import { registerHooks } from 'node:module'
    const files = []
    registerHooks({ load: (url, context, next) => { files.push(url); return next(url, context) } })
    await import('lineclear')
    await import('lineclear/dynamodb')
    console.log(files.filter((url) => url.includes('/node_modules/lineclear/')).length)`
  await expect(evaluated('module', code)).resolves.toBe(5)
})

/** With two copies of the package in a process, what the one throws is no instance of the class that the other exports. */
it('is there once in a process, for import and require and in all entries', async () => {
  const code = `
    import { createRequire } from 'node:module'
    const imported = await import('lineclear')
    const required = createRequire(import.meta.url)('lineclear')
    const { sqsEvent } = await import('lineclear/testing')
    let thrown
    try { sqsEvent(() => {}) } catch (error) { thrown = error }
    const same = Object.keys(imported).filter((name) => imported[name] === required[name])
    console.log(JSON.stringify({
      same: same.length === Object.keys(required).length,
      isOfTheClass: thrown instanceof required.ConfigError,
    }))`
  await expect(evaluated('module', code)).resolves.toEqual({ same: true, isOfTheClass: true })
})

it('has a command that starts, and loads the rest of itself', async () => {
  const command = join(project.package, manifest.bin.lineclear)
  const says = (...args: readonly string[]) =>
    run(process.execPath, [command, ...args], project.directory)
  await expect(says('--version')).resolves.toBe(`${manifest.version}\n`)
  const template = resolve(import.meta.dirname, '../../../examples/deploy/sam/template.yaml')
  await expect(says('doctor', '--template', template)).resolves.toMatch('Nothing found.')
})

/** Bundlers take other files: the test of a bundled function has a copy of its own. */
it('knows the errors and the clients of another copy of the package', async () => {
  const code = `
    import { recordHandler, TerminalError } from './node_modules/lineclear/dist/bundler/index.js'
    import * as node from 'lineclear'
    import { memoryCloud } from 'lineclear/testing'
    const deadLetter = { queue: 'dead', maxReceiveCount: 10 }
    const { lines: _, ...cloud } = memoryCloud({ queues: { orders: { deadLetter }, dead: {} } })
    const { store, clients, clock, logger } = cloud
    const orders = recordHandler({ name: 'orders', store, clients, clock, logger }, async (order, ctx) => {
      await ctx.write('count', { TableName: 'counts', Key: { id: 'a' }, add: { count: 1 } })
      throw order.other ? new node.TerminalError('no') : new TerminalError('no')
    })
    cloud.send('orders', { other: true })
    cloud.send('orders', { other: false })
    await cloud.drain({ orders })
    console.log(JSON.stringify(cloud.messages('dead').map(({ carried }) => carried.reason)))`
  await expect(evaluated('module', code)).resolves.toEqual(['terminal', 'terminal'])
})

it.each(BUDGETS)(
  'keeps a function with $door small, and the SDK out of what it loads first',
  async ({ door, hot, all }) => {
    const code = `
    export { ${door} } from 'lineclear'
    export { dynamoDbStore } from 'lineclear/dynamodb'`
    const { directory } = project
    const bundle = await serverlessBuild(code, join(directory, 'bundle'), {
      stdin: { contents: code, resolveDir: directory },
      absWorkingDir: directory,
      // What was packed, without the SDK.
      conditions: ['module'],
      external: ['@aws-sdk/*', '@smithy/*'],
    })
    const sizes = { hot: sizeOf(bundle.hot), all: sizeOf([...bundle.hot, ...bundle.later]) }
    expect(sizes.hot[0]).toBeGreaterThan(1)
    // Also an import without names, which a bundler keeps of a file that is used: a cold start would load the SDK for it.
    const withSdk = bundle.hot.filter(({ code }) => SDK.test(Buffer.from(code).toString()))
    expect(withSdk.map(({ name }) => name)).toEqual([])
    const told = `${door}: KB and KB gzipped, hot ${said(sizes.hot)} of ${said(hot)}, all ${said(sizes.all)} of ${said(all)}. ${GREW}`
    for (const [index, limit] of hot.entries()) {
      expect(sizes.hot[index], told).toBeLessThanOrEqual(limit)
    }
    for (const [index, limit] of all.entries()) {
      expect(sizes.all[index], told).toBeLessThanOrEqual(limit)
    }
  },
)

function said(kb: readonly number[]): string {
  return kb.map((each) => each.toFixed(1)).join(' and ')
}

/** KB, and KB gzipped. */
function sizeOf(files: readonly { readonly code: Uint8Array }[]): readonly number[] {
  const total = (bytes: readonly number[]): number => bytes.reduce((sum, each) => sum + each, 0)
  return [
    total(files.map(({ code }) => code.byteLength)),
    total(files.map(({ code }) => gzipSync(code).byteLength)),
  ].map((bytes) => bytes / 1_024)
}

/** Other entries stand for a package of their own, such as `lineclear/s3`. */
const NEED_NO_OTHER = ['lineclear', 'lineclear/dynamodb', 'lineclear/testing']

it('compiles with the packages that the README installs, and checks our declarations', async () => {
  const named = entries.filter(({ name }) => NEED_NO_OTHER.includes(name))
  await expect(compile(NODE, named)).resolves.toBe('')
})

/** Most projects are without this option, and the compiler gives each write of a list the names of all others. */
it('compiles a list of writes on several tables without exactOptionalPropertyTypes', async () => {
  const compilerOptions = { ...STRICT, ...NODE, exactOptionalPropertyTypes: false }
  const lists = resolve(import.meta.dirname, '../types/lists.ts')
  await copyFile(lists, join(project.directory, 'lists.ts'))
  const config = JSON.stringify({ compilerOptions, files: ['lists.ts'] })
  await writeFile(join(project.directory, 'tsconfig.lists.json'), config)
  await expect(run(binary('tsc'), ['-p', 'tsconfig.lists.json'], project.directory)).resolves.toBe(
    '',
  )
})

/** Not the entry for the CDK, whose own declarations do not pass: see cdk.proof.test.ts. */
describe('with the optional peers', () => {
  beforeAll(async () => {
    await linkOptionalPeers(project)
  })

  it('has every name at run time that its types promise', async () => {
    const loaded = await loadedNames(entries.map(({ name }) => name))
    expect(loaded).toEqual(
      Object.fromEntries(entries.map((entry) => [entry.name, namesOf(entry).values])),
    )
  })

  it.each([NODE, { module: 'ESNext', moduleResolution: 'Bundler' }])(
    'compiles in a strict project that checks our declarations, with $module',
    async (options) => {
      await expect(
        compile(
          options,
          entries.filter(({ name }) => name !== CDK),
        ),
      ).resolves.toBe('')
    },
  )
})

async function compile(options: object, named: readonly Entry[]): Promise<string> {
  const compilerOptions = { ...STRICT, ...options }
  await writeFile(join(project.directory, 'names.ts'), named.map(importAllNames).join('\n'))
  await writeFile(
    join(project.directory, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['names.ts'] }),
  )
  return run(binary('tsc'), ['-p', '.'], project.directory)
}

function namesOf(entry: Entry): PublicNames {
  return publicNames(join(project.package, entry.types))
}

async function loadedNames(names: readonly string[]): Promise<unknown> {
  const code = `
    const loaded = {}
    for (const name of ${JSON.stringify(names)}) loaded[name] = Object.keys(await import(name)).toSorted()
    console.log(JSON.stringify(loaded))`
  return evaluated('module', code)
}

/** @returns what the code has printed on its last line, as JSON */
async function evaluated(kind: 'module' | 'commonjs', code: string): Promise<unknown> {
  const args = [`--input-type=${kind}`, '--eval', code]
  const printed = await run(process.execPath, args, project.directory)
  return JSON.parse(printed.trim().split('\n').at(-1) ?? '')
}

function importAllNames(entry: Entry, index: number): string {
  const { values, types } = namesOf(entry)
  const names = [...values, ...types].map((name) => `${name} as ${name}${index}`)
  return `export type { ${names.join(', ')} } from '${entry.name}'`
}
