import { resolve } from 'node:path'
import { env } from 'node:process'
import type { ViteUserConfig } from 'vitest/config'
import calm from '../../vitest.config.ts'

const entry = (name: string): string => resolve(import.meta.dirname, 'entry', `${name}.ts`)

/** The rooms whose tests deliver messages or call functions. */
const ROOMS = [
  'flow',
  'call',
  'tools/operator',
  'testing/cloud',
  'documents/examples',
  'proof/fault',
]

/** Functions are killed at each call by `exploreCrashes`; redeliveries at each kill over real queues take too long. */
const ROOMS_OF_KILLED = ['flow', 'proof/fault']

const rooms = env['LINECLEAR_HOSTILE_MODE'] === 'killed' ? ROOMS_OF_KILLED : ROOMS

/** These count dead letters; only deliveries made twice leave the count as it is. */
const OF_THE_OPERATOR = ['twice', 'atOnce'].includes(env['LINECLEAR_HOSTILE_MODE'] ?? '')
  ? []
  : ['test/tools/operator/dlq*.test.ts']

/**
 * The same tests, unchanged, in the mode that LINECLEAR_HOSTILE_MODE names. This is the only change: what tests and examples import
 * from the package is the package in that mode.
 */
const config: ViteUserConfig = {
  ...calm,
  resolve: {
    alias: [
      { find: /^lineclear$/, replacement: entry('lineclear') },
      { find: /^lineclear\/dynamodb$/, replacement: entry('dynamodb') },
      { find: /^lineclear\/local$/, replacement: entry('local') },
      { find: /^lineclear\/testing$/, replacement: entry('testing') },
    ],
  },
  test: {
    ...calm.test,
    // Three modes run side by side.
    maxWorkers: 2,
    include: rooms.map((room) => `test/${room}/**/*.test.ts`),
    // These inject faults of their own; and the faults do not reach child processes.
    exclude: [
      'test/proof/fault/sigkill.proof.test.ts',
      'test/documents/examples/crashes.proof.test.ts',
      ...OF_THE_OPERATOR,
    ],
    setupFiles: ['test/environment.ts', resolve(import.meta.dirname, 'setup.ts')],
    typecheck: { enabled: false },
    testTimeout: 120_000,
    reporters: ['default'],
  },
}

export default config
