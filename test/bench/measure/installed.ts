import type { Part } from '../measured.ts'
import { environmentOf } from '../process/environment.ts'
import { freshProcess } from '../process/freshProcess.ts'
import { alternate, median, medianRatio } from '../statistics.ts'

const SDK = '@aws-sdk/client-dynamodb'
const IMPORTED = {
  'the SDK alone': [SDK],
  powertools: [
    SDK,
    '@aws-lambda-powertools/batch',
    '@aws-lambda-powertools/idempotency',
    '@aws-lambda-powertools/idempotency/dynamodb',
  ],
  lineclear: [SDK, 'lineclear', 'lineclear/dynamodb'],
} as const
type Name = keyof typeof IMPORTED

/** A function that is deployed with its node_modules, from the start of Node until its imports are loaded. */
export const installed: Part = {
  name: 'installed',
  title: 'loading from node_modules',
  async measure({ database, effort }) {
    const environment = environmentOf(database)
    const runs = Object.entries(IMPORTED).map(([name, packages]) => {
      // Found from here: the process has no folder of its own.
      const files = packages.map((one) => import.meta.resolve(one))
      const code = `
        for (const file of ${JSON.stringify(files)}) await import(file)
        process.getBuiltinModule('fs').writeSync(3, JSON.stringify({ wall: performance.now() }))`
      const args = ['--input-type=module', '--eval', code]
      const load = async (): Promise<number> =>
        (await freshProcess(args, environment))['wall'] ?? Number.NaN
      return [name, load] as const
    })
    // Once for the file cache.
    await alternate(1, runs)
    const samples = await alternate(effort.starts, runs)
    const wallOf = (name: Name): readonly number[] => samples.get(name) ?? []
    const aboveSdk = (name: Name): readonly number[] =>
      wallOf(name).map((wall, round) => wall - (wallOf('the SDK alone')[round] ?? Number.NaN))
    const ratio = medianRatio(aboveSdk('lineclear'), aboveSdk('powertools'))
    const rows = (Object.keys(IMPORTED) as Name[]).map((name) => [
      name,
      median(wallOf(name)),
      median(aboveSdk(name)),
    ])
    return {
      tables: [
        {
          title: 'Loading from node_modules, without a bundler',
          head: ['what is imported', 'ms', 'above the SDK, ms'],
          rows,
        },
      ],
      figures: { 'loading from node_modules, above the SDK, against Powertools': ratio },
    }
  },
}
