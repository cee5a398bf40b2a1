import './rightNode.mjs'
import { resolve } from 'node:path'
import { configDefaults, defineConfig, type ViteUserConfig } from 'vitest/config'
import { withoutChromium } from './tools/console/browser/chromium.ts'
import { closingLine } from './report/closingLine.ts'
import { SlowFirst } from './report/slowFirst.ts'
import { Summary } from './report/summary.ts'

/** Tests import `lineclear` as users do, and get the source: the package's own condition, in Vite and in Node. */
const CONDITION = 'lineclear:source'

const isShuffled = process.argv.some((argument) => argument.startsWith('--sequence.shuffle'))

/** What needs an engine, a browser or minutes: `npm run proof`, `npm run browser`, `npm run referees`. */
export const ELSEWHERE: readonly string[] = [
  ...configDefaults.exclude,
  '**/*.proof.test.ts',
  '**/*.browser.test.ts',
  'examples/testing/{counter,crashes}.test.ts',
  'examples/assistants/crashes.test.ts',
  'test/referees/{dynoxide,ministack,moto}/**',
]

/** Half of the minutes of all tests: the proof runs them too. `npm test` does where a file, a folder or a test is named. */
export const LONG: readonly string[] = [
  'test/proof/{badInput,fuzz,lifetimes,model,random,status}/**/*.test.ts',
  'test/bench/**/*.test.ts',
  'test/testing/{cloud,crashes}/**/*.test.ts',
  'test/testing/{exploreCrashes,rows}.test.ts',
  'test/testing/local/{dynamodbFaults,managed,mapping,sandboxes}.test.ts',
  'test/testing/local/engines/garbage.test.ts',
  'test/tools/cli/{causes,doctor,errorHelp,flows,forget,pause,process,walk}.test.ts',
  'test/tools/operator/{dlqRedrive,fifoOrder,listTasks,tableStatus}.test.ts',
  'test/features/tracing/crashes.test.ts',
  'test/sweeper/search/{keys,search}.test.ts',
  'test/store/differential.test.ts',
  'test/worker/worker.test.ts',
  'test/flow/fifo.test.ts',
  'test/call/{examples,results}.test.ts',
]

const isNamed = process.argv.slice(2).some((word) => !/^-|^run$|vitest\.config\.ts$/.test(word))

const config: ViteUserConfig = defineConfig({
  root: resolve(import.meta.dirname, '..'),
  ssr: { resolve: { conditions: [CONDITION, 'node', 'development|production'] } },
  test: {
    include: ['test/**/*.test.ts', 'examples/**/*.test.ts'],
    exclude: isNamed ? [...ELSEWHERE] : [...ELSEWHERE, ...LONG],
    typecheck: {
      enabled: true,
      include: ['test/package/types/**/*.test-d.ts'],
      tsconfig: 'test/package/types/tsconfig.json',
    },
    pool: 'forks',
    // For two cores, since some wait. More of them are no sooner done: each loads the SDK, the sources and the engines again.
    maxWorkers: 3,
    // A random order of files, `--sequence.shuffle.files`, is one of Vitest's own.
    sequence: isShuffled ? {} : { sequencer: SlowFirst },
    // What runs side by side in one file waits for queues most of its time.
    maxConcurrency: 12,
    // Loading the SDK and the local engines costs half a second, once per process instead of once per file.
    // So files share modules and globals: clean up after each test.
    isolate: false,
    setupFiles: ['test/environment.ts'],
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    execArgv: [`--conditions=${CONDITION}`],
    // The examples' own logger.
    env: { POWERTOOLS_LOG_LEVEL: 'SILENT' },
    allowOnly: false,
    // What hangs fails; what a busy machine does slowly does not.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 300_000 } },
    reporters: [new Summary(), closingLine(withoutChromium())],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      // Runs in a browser: `npm run browser` operates it.
      exclude: ['src/tools/console/app/**'],
      reporter: [['text', { skipFull: true }]],
      thresholds: { lines: 93, functions: 92, branches: 87 },
    },
  },
})

export default config
