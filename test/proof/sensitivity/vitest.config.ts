import { relative, resolve } from 'node:path'
import { env } from 'node:process'
import type { ViteUserConfig } from 'vitest/config'
import type { Plugin } from 'vite'
import quick from '../../vitest.config.ts'
import { failures } from './failures.ts'
import type { Change } from './protection.ts'
import { switchOff } from './switchOff.ts'

const ROOT = resolve(import.meta.dirname, '../../..')

/** Changes one file while it is loaded: no file of the working tree is touched. */
function without(change: Change): Plugin {
  return {
    name: 'lineclear:without',
    enforce: 'pre',
    transform: (code, id) =>
      relative(ROOT, id.replace(/\?.*$/, '')) === change.file ? switchOff(code, change) : undefined,
  }
}

const given = env['LINECLEAR_WITHOUT']

/** The quick run, without the protection that LINECLEAR_WITHOUT holds. */
const config: ViteUserConfig = {
  ...quick,
  plugins: given === undefined ? [] : [without(JSON.parse(given) as Change)],
  test: {
    ...quick.test,
    typecheck: { enabled: false },
    // It would give the changed file to later runs.
    fsModuleCache: false,
    // The file that is most likely to notice begins.
    sequence: {},
    reporters: [failures()],
  },
}

export default config
