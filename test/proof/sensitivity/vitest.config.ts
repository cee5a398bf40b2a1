import { relative } from 'node:path'
import { env } from 'node:process'
import type { ViteUserConfig } from 'vitest/config'
import type { Plugin } from 'vite'
import quick, { ELSEWHERE } from '../../vitest.config.ts'
import { failures } from './failures.ts'
import { type Protection, ROOT } from './protection.ts'
import { switchOff } from './switchOff.ts'

/** Changes one file while it is loaded: no file of the working tree is touched. */
function without({ file, protects }: Pick<Protection, 'file' | 'protects'>): Plugin {
  return {
    name: 'lineclear:without',
    enforce: 'pre',
    transform: (code, id) =>
      relative(ROOT, id.replace(/\?.*$/, '')) === file ? switchOff(code, protects) : undefined,
  }
}

const given = env['LINECLEAR_WITHOUT']

/** The quick run and what takes long, without the protection that LINECLEAR_WITHOUT names. */
const config: ViteUserConfig = {
  ...quick,
  plugins: given === undefined ? [] : [without(JSON.parse(given) as Protection)],
  test: {
    ...quick.test,
    exclude: [...ELSEWHERE],
    typecheck: { enabled: false },
    // It would give the changed file to later runs.
    fsModuleCache: false,
    // The file that is most likely to notice begins.
    sequence: {},
    reporters: [failures()],
  },
}

export default config
