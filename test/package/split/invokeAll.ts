import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { environmentOf } from '../../bench/process/environment.ts'
import { freshProcess } from '../../bench/process/freshProcess.ts'
import type { Database } from '../../bench/database/startDatabase.ts'
import type { Invoked, Step } from './invoke.ts'
import type { SplitBundle } from './serverlessBuild.ts'

/** In a process of its own, one invocation after the other. */
export async function invokeAll(
  bundle: SplitBundle,
  database: Database,
  steps: readonly Step[],
): Promise<readonly Invoked[]> {
  const directory = await mkdtemp(join(tmpdir(), 'lineclear-split-'))
  try {
    for (const { name, code } of [...bundle.hot, ...bundle.later]) {
      await writeFile(join(directory, name), code)
    }
    const script = join(import.meta.dirname, 'invoke.ts')
    const args = [script, join(directory, bundle.entry), JSON.stringify(steps)]
    // No queue answers there.
    const env = { ...environmentOf(database), AWS_ENDPOINT_URL_SQS: 'http://127.0.0.1:1' }
    const report: unknown = await freshProcess(args, env)
    return report as readonly Invoked[]
  } finally {
    await rm(directory, { recursive: true })
  }
}
