import { resolve } from 'node:path'
import { bundleSize, type BundleSize } from '../../package/dist/bundleSize.ts'

/** What a consumer carries beside the SDK, bytes. */
export interface Size extends BundleSize {
  readonly peer: 'powertools' | 'lineclear'
}

const BENCH = resolve(import.meta.dirname, '..')

const CONSUMER = `
  export { recordHandler } from '../../src/index.ts'
  export { dynamoDbStore } from '../../src/store/dynamodb/index.ts'`

export async function measureSize(): Promise<readonly Size[]> {
  return [
    { peer: 'powertools', ...(await bundleSize("export * from './peers/powertools.ts'", BENCH)) },
    { peer: 'lineclear', ...(await bundleSize(CONSUMER, BENCH)) },
  ]
}
