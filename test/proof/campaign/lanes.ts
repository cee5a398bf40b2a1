import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { execPath } from 'node:process'

/** Two cores: with three at once on a busy machine attempts ended at their time, before their work was done. */
const AT_ONCE = 2

/** Runs a program once for each of `all`, a process each, in this order. @returns how many were wrong */
export async function runInLanes(
  program: string,
  all: readonly (readonly string[])[],
): Promise<number> {
  const waiting = all.values()
  let wrong = 0
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  return wrong

  async function lane(): Promise<void> {
    for (const asked of waiting) {
      const args = ['--conditions=lineclear:source', program, ...asked]
      const child = spawn(execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] })
      const [code] = (await once(child, 'exit')) as [number | null]
      if (code !== 0) wrong += 1
    }
  }
}
