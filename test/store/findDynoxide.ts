import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createRequire } from 'node:module'

/** The native engine of DynamoDB, with which ours is compared; undefined where it has no binary. `test/nativeEngine` installs it. */
export function findDynoxide(): string | undefined {
  try {
    const name = `@dynoxide/${process.platform}-${process.arch}/package.json`
    const binary = join(dirname(createRequire(import.meta.url).resolve(name)), 'dynoxide')
    return existsSync(binary) ? binary : undefined
  } catch {
    return undefined
  }
}
