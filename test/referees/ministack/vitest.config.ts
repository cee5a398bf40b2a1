import { resolve } from 'node:path'
import { configDefaults, type ViteUserConfig } from 'vitest/config'
import { closingLine } from '../../report/closingLine.ts'
import calm from '../../vitest.config.ts'

/** The examples as they are deployed. Files share one deployment, and run one after the other. */
const config: ViteUserConfig = {
  ...calm,
  test: {
    ...calm.test,
    include: ['test/referees/ministack/**/*.test.ts'],
    exclude: configDefaults.exclude,
    globalSetup: resolve(import.meta.dirname, 'setup.ts'),
    fileParallelism: false,
    typecheck: { enabled: false },
    // More than a test waits for at most.
    testTimeout: 300_000,
    // Each test as it ends, since some take a minute.
    reporters: ['verbose', closingLine()],
  },
}

export default config
