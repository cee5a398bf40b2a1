// @acts

import { existsSync, readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'

const EXAMPLES = [
  'examples/cdk/addDelivery.ts',
  'examples/cdk/addRefunds.ts',
  'examples/cdk/app.ts',
  'examples/cdk/delivery.test.ts',
  'examples/cdk/delivery.ts',
  'examples/cdk/dev.ts',
  'examples/cdk/orders.test.ts',
  'examples/cdk/orders.ts',
  'examples/cdk/refunds.test.ts',
  'examples/cdk/refunds.ts',
  'examples/deploy/chunkNames.js',
  'examples/deploy/sam/template.yaml',
  'examples/deploy/sweeper.ts',
  'examples/deploy/terraform/build.ts',
  'examples/deploy/terraform/main.tf',
  'examples/deploy/terraform/modules/consumer/main.tf',
  'examples/deploy/terraform/modules/function/main.tf',
  'examples/deploy/terraform/modules/sweeper/main.tf',
  'examples/deploy/terraform/modules/table/main.tf',
  'serverless.yml',
] as const

/** Texts by path. */
export type Examples = Readonly<Record<(typeof EXAMPLES)[number], string>>

/** What documents show and tests deploy. The package has them in one file. */
export function readExamples(): Examples {
  const packed = new URL('examples.json.br', import.meta.url)
  if (existsSync(packed)) {
    return JSON.parse(brotliDecompressSync(readFileSync(packed)).toString()) as Examples
  }
  const entries = EXAMPLES.map((path) => [path, readFileSync(fromRoot(path), 'utf8')])
  return Object.fromEntries(entries) as Examples
}

interface Manifest {
  readonly version: string
  readonly dependencies: Versions
  readonly devDependencies: Versions
}

/** By package. */
export type Versions = Readonly<Record<string, string>>

/** Those that the tests of this package have run with. */
export function testedVersions(): Versions {
  const text = readFileSync(fromRoot('package.json'), 'utf8')
  const { version, dependencies, devDependencies } = JSON.parse(text) as Manifest
  return { ...dependencies, ...devDependencies, lineclear: version }
}

function fromRoot(path: string): URL {
  return new URL(`../../../${path}`, import.meta.url)
}
