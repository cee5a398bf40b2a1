import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../dist/run.ts'
import { check } from './check.ts'
import { installed, NODES, REPOSITORY } from './tools.ts'

const JEST = installed('jest', 'bin/jest.js')

/** With ts-jest, the older module resolution, and a local cloud that jest starts outside its tests. */
const TS_JEST = `module.exports = {
  testMatch: ['**/*.jest.ts'],
  transform: { '\\\\.ts$': ['${installed('ts-jest')}', { tsconfig: 'tsconfig.jest.json' }] },
  globalSetup: './startCloud.cjs',
  globalTeardown: './stopCloud.cjs',
}`
const TS_CONFIG = {
  target: 'ES2022',
  module: 'CommonJS',
  moduleResolution: 'node10',
  esModuleInterop: true,
  types: ['node'],
  strict: true,
  skipLibCheck: true,
}

/** @param project of ES modules @param commonJs a folder in it, of CommonJS */
export async function checkRunners(project: string, commonJs: string): Promise<void> {
  await writeFile(join(project, 'jest.config.js'), 'export default { transform: {} }')
  await writeFile(join(commonJs, 'jest.config.js'), `module.exports = {}`)
  await writeFile(join(commonJs, 'ts-jest.config.js'), TS_JEST)
  await writeFile(
    join(commonJs, 'tsconfig.jest.json'),
    JSON.stringify({ compilerOptions: TS_CONFIG }),
  )
  for (const [name, node] of Object.entries(NODES)) {
    const works = (what: string, directory: string, args: readonly string[]) =>
      check(`${name} ${what}`, () => run(node, args, directory))
    await works('require', commonJs, ['caller.cjs'])
    await works('jest', commonJs, [JEST, '--testMatch', '**/*.jest.cjs'])
    await works('jest with ts-jest', commonJs, [JEST, '--config', 'ts-jest.config.js'])
    const esm = ['--experimental-vm-modules', JEST, '--testMatch', '**/*.jest.mjs']
    await works('jest of ES modules', project, esm)
    await works('node:test', project, ['--test', 'orders.nodetest.ts'])
  }
  const vitest = join(REPOSITORY, 'node_modules/vitest/vitest.mjs')
  await check('vitest', () => run(process.execPath, [vitest, 'run', 'orders.test.ts'], project))
}
