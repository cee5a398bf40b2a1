import { configDefaults, type ViteUserConfig } from 'vitest/config'
import quick from '../vitest.config.ts'

/** Outside of this folder, in `npm test` by samples. The three examples are not in it. */
const SAMPLED = [
  // Through the SDK: in `npm test` their calls go to the engines as plain JSON.
  'test/tools/cli/{walk,dlq,flows,tokens}.test.ts',
  'test/flow/{awaits,conflicts}.test.ts',
  'examples/testing/{counter,crashes}.test.ts',
  'examples/assistants/crashes.test.ts',
  'test/record/envelope/properties.test.ts',
  'test/store/differential.test.ts',
  'test/testing/exploreCrashes.test.ts',
  'test/testing/crashes/*.test.ts',
]

/** What takes too long for `npm test`: files named `.proof.test.ts`, and all of what tests take samples of. */
const config: ViteUserConfig = {
  ...quick,
  test: {
    ...quick.test,
    include: ['test/proof/**/*.test.ts', 'test/**/*.proof.test.ts', ...SAMPLED],
    exclude: configDefaults.exclude,
    // The longest take minutes beside other steps of CI.
    testTimeout: 1_800_000,
    env: { ...quick.test?.env, LINECLEAR_PROOF: '1' },
    typecheck: { enabled: false },
  },
}

export default config
