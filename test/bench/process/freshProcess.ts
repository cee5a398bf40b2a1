import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'

/** Runs a file in a fresh process, and gives what it wrote as JSON to file descriptor 3. */
export async function freshProcess(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Readonly<Record<string, number>>> {
  const child = spawn(process.execPath, args, {
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  })
  const [report] = await Promise.all([text(child.stdio[3] as Readable), once(child, 'exit')])
  return JSON.parse(report) as Record<string, number>
}
