import { resolve } from 'node:path'
import { defineConfig, type ViteUserConfig } from 'vitest/config'

const CONDITION = 'lineclear:source'

/** The tests of one room alone, and without types: they are run for each mutant. */
const config: ViteUserConfig = defineConfig({
  root: resolve(import.meta.dirname, '../../..'),
  ssr: { resolve: { conditions: [CONDITION, 'node', 'development|production'] } },
  test: {
    include: ['test/proof/mutation/roomTests.ts'],
    setupFiles: ['test/proof/mutation/sameValues.ts'],
    execArgv: [`--conditions=${CONDITION}`],
    testTimeout: 20_000,
  },
})

export default config
