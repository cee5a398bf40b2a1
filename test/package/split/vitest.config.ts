import { resolve } from 'node:path'
import type { ViteUserConfig } from 'vitest/config'
import quick from '../../vitest.config.ts'
import { BUNDLE } from './writeBundle.ts'

/** Tests of failures, on a bundle with splitting instead of the source. */
const config: ViteUserConfig = {
  ...quick,
  resolve: { alias: [{ find: /^lineclear$/, replacement: BUNDLE }] },
  test: {
    ...quick.test,
    include: [
      ...['failures', 'batch', 'group', 'resends', 'redrive', 'lease'].map(
        (name) => `test/deliver/${name}.test.ts`,
      ),
      'test/features/mapping/mapping.test.ts',
    ],
    globalSetup: [resolve(import.meta.dirname, 'writeBundle.ts')],
    server: { deps: { external: [/\.esbuild/] } },
    typecheck: { enabled: false },
    reporters: ['default'],
  },
}

export default config
