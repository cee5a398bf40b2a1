import { resolve } from 'node:path'
import { exit, stderr } from 'node:process'
import { configDefaults, type ViteUserConfig } from 'vitest/config'
import quick from '../../../vitest.config.ts'
import { withoutChromium } from './chromium.ts'

// In a global setup it would be an error with a stack, below the names of all files.
const missing = withoutChromium()
if (missing !== undefined) {
  stderr.write(`${missing}\n`)
  exit(1)
}

/** The console in a Chromium of this machine: `npm run browser`. */
const config: ViteUserConfig = {
  ...quick,
  test: {
    ...quick.test,
    include: ['test/ops/console/browser/**/*.browser.test.ts'],
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
