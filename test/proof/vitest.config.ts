import { configDefaults, type ViteUserConfig } from 'vitest/config'
import quick from '../vitest.config.ts'

/** What takes too long for `npm test`: files named `.proof.test.ts`, and all of what the tests of this folder take samples of. */
const config: ViteUserConfig = {
  ...quick,
  test: {
    ...quick.test,
    include: ['test/proof/**/*.test.ts', 'test/**/*.proof.test.ts'],
    exclude: configDefaults.exclude,
    env: { ...quick.test?.env, LINECLEAR_PROOF: '1' },
    typecheck: { enabled: false },
  },
}

export default config
