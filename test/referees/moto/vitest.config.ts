import { configDefaults, type ViteUserConfig } from 'vitest/config'
import calm from '../../vitest.config.ts'

const config: ViteUserConfig = {
  ...calm,
  test: {
    ...calm.test,
    include: ['test/referees/moto/**/*.test.ts'],
    exclude: configDefaults.exclude,
    typecheck: { enabled: false },
    // It answers one call after the other.
    testTimeout: 300_000,
  },
}

export default config
