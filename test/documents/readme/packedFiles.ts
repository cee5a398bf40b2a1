import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { ROOT } from './documents.ts'

interface Packed {
  readonly files: readonly { readonly path: string }[]
}

/** What `npm pack` would put into the package, by path. */
export async function packedFiles(): Promise<ReadonlySet<string>> {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const { stdout } = await promisify(execFile)('npm', args, { cwd: ROOT, maxBuffer: 1 << 24 })
  const [packed] = JSON.parse(stdout) as readonly Packed[]
  return new Set(packed?.files.map(({ path }) => path))
}
