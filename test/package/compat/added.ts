import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import type { Project } from '../dist/install.ts'
import { run } from '../dist/run.ts'
import { inTurn } from '../../proof/depth.ts'
import { check } from './check.ts'
import { COMPILER_FILES, installed, NODES, REPOSITORY } from './tools.ts'

/*
 * A consumer, a flow and a function that `lineclear init` adds to a project of its author: their tests run as the project runs its own, and
 * a bundler makes functions of them.
 */

const JEST = installed('jest', 'bin/jest.js')
const VITEST = join(REPOSITORY, 'node_modules/vitest/vitest.mjs')
const ADDED = [
  ['consumer', 'mails', ['handler']],
  ['flow', 'parcels', ['booked', 'pack', 'ship']],
  ['function', 'refunds', ['handler']],
] as const
/** A flow reads them when it is loaded. */
const QUEUES = ['PACK', 'BOOKED', 'SHIP'].map(
  (name) =>
    `${name}_QUEUE=https://sqs.eu-central-1.amazonaws.com/123456789012/${name.toLowerCase()}`,
)
const TEMPLATE = 'Resources:\n  Mine:\n    Type: AWS::SNS::Topic\n'

interface Kind {
  readonly manifest: object
  readonly files?: Readonly<Record<string, string>>
  /** What runs its tests, after `node`. */
  readonly args: readonly string[]
  /** The file in which the runner says it, which is its output else. */
  readonly saidIn?: string
  /** What the runner says of three tests. */
  readonly says: RegExp
  /** The compiler that finds nothing. */
  readonly compiler?: string
  readonly ending: 'js' | 'ts'
  /** The folder of what a bundler begins with. */
  readonly entries: 'src' | 'lineclear'
  /** One for each way to write a module. */
  readonly bundled?: true
}

const strict = { strict: true, types: ['node'], skipLibCheck: true, target: 'ES2022', noEmit: true }
const json = (compilerOptions: object): string => JSON.stringify({ compilerOptions })

const BY_JEST = { says: /"numPassedTests":3,/ }
const BY_NODE = { args: ['--test'], says: /^# pass 3$|^ℹ pass 3$/m }
const BY_VITEST = {
  args: [VITEST, 'run', '--reporter=json', '--outputFile=said.json'],
  saidIn: 'said.json',
  says: /"numPassedTests":3,/,
}

const KINDS: Readonly<Record<string, Kind>> = {
  'CommonJS with jest': {
    ...BY_JEST,
    manifest: { scripts: { test: 'jest' } },
    files: { 'src/mine.js': 'exports.handler = async () => {}\n' },
    args: [JEST, '--json'],
    ending: 'js',
    entries: 'lineclear',
    bundled: true,
  },
  'CommonJS with node --test': {
    ...BY_NODE,
    manifest: { scripts: { test: 'node --test' } },
    ending: 'js',
    entries: 'lineclear',
  },
  'ES modules with jest': {
    ...BY_JEST,
    manifest: { type: 'module', devDependencies: { jest: '30' }, jest: { transform: {} } },
    args: ['--experimental-vm-modules', JEST, '--json'],
    ending: 'js',
    entries: 'src',
  },
  'ES modules with node --test': {
    ...BY_NODE,
    manifest: { type: 'module', scripts: { test: 'node --test' } },
    ending: 'js',
    entries: 'src',
    bundled: true,
  },
  'JavaScript with vitest': {
    ...BY_VITEST,
    manifest: { scripts: { test: 'vitest run' } },
    ending: 'js',
    entries: 'src',
  },
  'JavaScript with a runner that init does not write for': {
    ...BY_NODE,
    manifest: { scripts: { test: 'mocha' } },
    ending: 'js',
    entries: 'lineclear',
  },
  'TypeScript with vitest': {
    ...BY_VITEST,
    manifest: { type: 'module', devDependencies: { vitest: '4' } },
    files: { 'tsconfig.json': json({ ...strict, module: 'NodeNext' }) },
    compiler: 'ts59',
    ending: 'ts',
    entries: 'src',
  },
  'TypeScript with jest': {
    ...BY_JEST,
    manifest: {
      scripts: { test: 'jest' },
      devDependencies: { 'ts-jest': '29' },
      jest: { transform: { '\\.ts$': installed('ts-jest') }, testMatch: ['**/*.test.ts'] },
    },
    files: {
      'tsconfig.json': json({
        ...strict,
        module: 'CommonJS',
        moduleResolution: 'node10',
        esModuleInterop: true,
      }),
    },
    args: [JEST, '--json'],
    compiler: 'ts59',
    ending: 'ts',
    entries: 'src',
  },
  'TypeScript with node --test': {
    ...BY_NODE,
    manifest: { type: 'module', scripts: { test: 'node --test' } },
    files: {
      'tsconfig.json': json({ ...strict, module: 'NodeNext', allowImportingTsExtensions: true }),
    },
    compiler: 'ts70',
    ending: 'ts',
    entries: 'src',
  },
}

/** @param project in which the packed tarball is installed */
export async function checkAdded(project: Project): Promise<void> {
  let nth = 0
  for (const [name, kind] of inTurn(Object.entries(KINDS), 3)) {
    const folder = join(project.directory, `added-${(nth += 1)}`)
    await fill(folder, kind)
    await check(`lineclear init in ${name}`, () => add(join(project.package, 'dist'), folder))
    // The oldest that Lambda runs.
    const node = NODES['Node 22'] ?? ''
    await check(`the added tests of ${name}`, async () => {
      const output = await run(node, ['--no-warnings', ...kind.args], folder)
      const said = kind.saidIn && (await readFile(join(folder, kind.saidIn), 'utf8'))
      assert.match(said ?? output, kind.says)
    })
    const { compiler } = kind
    if (compiler !== undefined) {
      const file = COMPILER_FILES[compiler] ?? ''
      await check(`${compiler} ${name}`, () => run(process.execPath, [file, '-p', '.'], folder))
    }
    if (kind.bundled) await check(`bundles of ${name}`, () => bundle(folder, kind))
  }
}

async function fill(folder: string, { manifest, files = {} }: Kind): Promise<void> {
  const all = { 'package.json': JSON.stringify(manifest), 'template.yaml': TEMPLATE, ...files }
  for (const [path, text] of Object.entries(all)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
}

async function add(dist: string, folder: string): Promise<void> {
  for (const [what, name] of ADDED) {
    const command = join(dist, 'tools/cli/main.js')
    await run(process.execPath, [command, 'init', what, name, '--write'], folder)
  }
}

/** As the template says: ES modules, of which Lambda calls what they export by name. */
async function bundle(folder: string, { ending, entries }: Kind): Promise<void> {
  for (const [, name, handlers] of ADDED) {
    const outfile = join(folder, 'dist', `${name}.mjs`)
    await build({
      entryPoints: [join(folder, entries, `${name}.${ending}`)],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      mainFields: ['module', 'main'],
      banner: {
        js: "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);",
      },
      logLevel: 'silent',
    })
    const code = `console.log(JSON.stringify(Object.keys(await import(${JSON.stringify(outfile)}))))`
    const args = [...QUEUES, process.execPath, '--input-type=module', '--eval', code]
    const said = await run('env', args, folder)
    const exported = JSON.parse(said.trim().split('\n').at(-1) ?? '') as readonly string[]
    assert.deepEqual(
      handlers.filter((each) => !exported.includes(each)),
      [],
    )
  }
}
