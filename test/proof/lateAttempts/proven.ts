import manifest from '../../../package.json' with { type: 'json' }
import { QUOTED } from './words.ts'

/** The packages of the peers that run here, in the version that is installed. */
export const RUN = [
  '@aws-lambda-powertools/idempotency',
  '@aws/durable-execution-sdk-js',
  '@dbos-inc/dbos-sdk',
  '@middy/core',
  'graphile-worker',
  'pg-boss',
  'sqs-consumer',
] as const

/** What the README says of others is true of these versions. */
export const PROVEN: ReadonlyMap<string, string> = new Map<string, string>([
  ...RUN.map((name) => [name, manifest.devDependencies[name]] as const),
  ...QUOTED.map(({ package: name, version }) => [name, version] as const),
])
