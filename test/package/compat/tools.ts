import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { run } from '../dist/run.ts'

/** Too heavy for node_modules (300 MB): they are installed beside, and found there the next time. */
export const REPOSITORY: string = resolve(import.meta.dirname, '../../..')
const CACHE = join(REPOSITORY, '.lineclear/compat')

const COMPILERS = { ts56: '5.6.3', ts59: '5.9.3', ts60: '6.0.3' }
/** The lines beside that of this process: the oldest that Lambda runs, and the newest. */
const NODE = `node-${process.platform.replace('win32', 'win')}-${process.arch}`
const JEST = '30.5.2'

const DEPENDENCIES = {
  jest: JEST,
  '@jest/globals': JEST,
  'ts-jest': '29.4.15',
  // For ts-jest.
  typescript: COMPILERS.ts59,
  node22: `npm:${NODE}@22.23.3`,
  node26: `npm:${NODE}@26.12.1`,
  pnpm: '12.21.0',
  yarn1: 'npm:yarn@1.22.22',
  yarn4: 'npm:@yarnpkg/cli-dist@4.18.1',
  bun: '1.4.5',
  ...Object.fromEntries(
    Object.entries(COMPILERS).map(([name, version]) => [name, `npm:typescript@${version}`]),
  ),
}

export async function installTools(): Promise<void> {
  const manifest = { private: true, dependencies: DEPENDENCIES }
  await mkdir(CACHE, { recursive: true })
  await writeFile(join(CACHE, 'package.json'), JSON.stringify(manifest))
  await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], CACHE)
}

/** By name: the file of each compiler. */
export const COMPILER_FILES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.keys(COMPILERS).map((name) => [name, installed(name, 'bin/tsc')])),
  ts70: join(REPOSITORY, 'node_modules/typescript/bin/tsc'),
}

const PROGRAM = process.platform === 'win32' ? 'bin/node.exe' : 'bin/node'
/** By name: the programs that run tests. */
export const NODES: Readonly<Record<string, string>> = {
  'Node 22': installed('node22', PROGRAM),
  'Node 24': process.execPath,
  'Node 26': installed('node26', PROGRAM),
}

/** A file or folder of a tool. */
export function installed(name: string, file = ''): string {
  return join(CACHE, 'node_modules', name, file)
}
