import { resolve } from 'node:path'
import { configDefaults, type ViteUserConfig } from 'vitest/config'
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
    // A message whose sandbox dies on a slow machine comes again after its visibility timeout of three minutes.
    testTimeout: 500_000,
  },
}

export default config
