import { resolve } from 'node:path'
import { defineConfig, type ViteUserConfig } from 'vitest/config'

const CONDITION = 'lineclear:source'

/** The tests of the pure rooms alone, and without types: they are run for each mutant. */
const config: ViteUserConfig = defineConfig({
  root: resolve(import.meta.dirname, '../..'),
  ssr: { resolve: { conditions: [CONDITION, 'node', 'development|production'] } },
  test: {
    include: [
      'test/awaiting/**/*.test.ts',
      'test/envelope/**/*.test.ts',
      'test/guard/**/*.test.ts',
      'test/lock/**/*.test.ts',
      'test/message/**/*.test.ts',
      'test/metrics/**/*.test.ts',
      'test/retry/**/*.test.ts',
      'test/stage/**/*.test.ts',
    ],
    execArgv: [`--conditions=${CONDITION}`],
    testTimeout: 20_000,
  },
})

export default config
