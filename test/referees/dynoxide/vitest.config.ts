import { resolve } from 'node:path'
import { configDefaults, type ViteUserConfig } from 'vitest/config'
import { isWhole } from '../../proof/depth.ts'
import calm from '../../vitest.config.ts'

/** The rooms whose tests use a DynamoDB engine. */
const ROOMS = [
  'store',
  'flow',
  'call',
  'tools/operator',
  'testing/cloud',
  'proof/random',
  'proof/campaign',
]

/** Each night, with LINECLEAR_PROOF=whole. */
const LONGEST = ['test/proof/campaign/{examples,figures,hostile}.proof.test.ts']

/**
 * The same tests, unchanged, on another engine. Each test has an engine of its own, as it has on the usual one: with one LINECLEAR_DYNAMODB_ENDPOINT for all, tests side by side would meet in one table.
 */
const config: ViteUserConfig = {
  ...calm,
  resolve: {
    alias: [
      {
        find: /^.*\/findDynoxide\.ts$/,
        replacement: resolve(import.meta.dirname, 'findReferee.ts'),
      },
      {
        find: /^.*\/inProcessEngine\.ts$/,
        replacement: resolve(import.meta.dirname, 'startReferee.ts'),
      },
    ],
  },
  test: {
    ...calm.test,
    include: [
      ...ROOMS.map((room) => `test/${room}/**/*.test.ts`),
      'test/referees/dynoxide/*.test.ts',
    ],
    exclude: isWhole ? configDefaults.exclude : [...configDefaults.exclude, ...LONGEST],
    maxWorkers: 2,
    typecheck: { enabled: false },
    testTimeout: 120_000,
  },
}

export default config
