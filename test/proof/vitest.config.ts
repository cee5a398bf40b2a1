import { env } from 'node:process'
import type { ViteUserConfig } from 'vitest/config'
import quick, { ELSEWHERE, LONG } from '../vitest.config.ts'

/** In `npm test` by samples; the example is not in it. */
const SAMPLED = [
  // Through the SDK: in `npm test` their calls go to the engines as plain JSON.
  'test/tools/cli/{dlq,tokens}.test.ts',
  'test/flow/{awaits,conflicts}.test.ts',
  'test/record/envelope/properties.test.ts',
  'examples/testing/counter.test.ts',
]

/** What has samples elsewhere in the proof, each night. */
export const WHOLE: readonly string[] = [
  'examples/testing/crashes.test.ts',
  'examples/assistants/crashes.test.ts',
  'test/bench/run.proof.test.ts',
  'test/documents/moving/ported.proof.test.ts',
  'test/features/payloads/crashes.proof.test.ts',
  'test/package/dist/clone.proof.test.ts',
  // `npm run campaign:ci` plays the same.
  'test/proof/campaign/campaign.proof.test.ts',
  'test/proof/model/{counted,survivors}.proof.test.ts',
]

const depth = env['LINECLEAR_PROOF'] ?? 'bounded'
const whole = depth === 'whole' ? WHOLE : []

/** What takes too long for `npm test`: with LINECLEAR_PROOF=whole without bounds. */
const config: ViteUserConfig = {
  ...quick,
  test: {
    ...quick.test,
    include: ['test/**/*.proof.test.ts', ...LONG, ...SAMPLED, ...whole],
    exclude: [
      ...ELSEWHERE.filter((pattern) => !/proof|examples/.test(pattern)),
      ...WHOLE.filter((pattern) => !whole.includes(pattern)),
    ],
    maxWorkers: 2,
    // The longest take minutes beside other steps of CI.
    testTimeout: 1_800_000,
    env: { ...quick.test?.env, LINECLEAR_PROOF: depth },
    typecheck: { enabled: false },
  },
}

export default config
