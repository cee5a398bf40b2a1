import { resolve } from 'node:path'
import { configDefaults, type ViteUserConfig } from 'vitest/config'
import quick from '../../../vitest.config.ts'

/** The console and the site of the documents in a Chromium of this machine: `npm run browser`. */
const config: ViteUserConfig = {
  ...quick,
  test: {
    ...quick.test,
    include: ['test/{tools/console,documents/site}/browser/*.browser.test.ts'],
    exclude: configDefaults.exclude,
    execArgv: [...(quick.test?.execArgv ?? []), '--expose-gc'],
    globalSetup: resolve(import.meta.dirname, 'launch.ts'),
    // Those that do tasks wait for queues most of their time.
    maxWorkers: 2,
    maxConcurrency: 4,
    // On a busy machine.
    testTimeout: 400_000,
    hookTimeout: 120_000,
    typecheck: { enabled: false },
  },
}

export default config
