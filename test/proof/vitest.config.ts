import { configDefaults, type ViteUserConfig } from 'vitest/config'
import quick from '../vitest.config.ts'

/** Outside of this folder, in `npm test` by samples. The two examples are not in it. */
const SAMPLED = [
  'examples/testing/{counter,crashes}.test.ts',
  'test/record/envelope/properties.test.ts',
  'test/store/differential.test.ts',
  'test/testing/exploreCrashes.test.ts',
]

/** What takes too long for `npm test`: files named `.proof.test.ts`, and all of what tests take samples of. */
const config: ViteUserConfig = {
  ...quick,
  test: {
    ...quick.test,
    include: ['test/proof/**/*.test.ts', 'test/**/*.proof.test.ts', ...SAMPLED],
    exclude: configDefaults.exclude,
    // Most take seconds. On a busy machine they may take a hundred times as long, and still be right.
    testTimeout: 180_000,
    env: { ...quick.test?.env, LINECLEAR_PROOF: '1' },
    typecheck: { enabled: false },
  },
}

export default config
