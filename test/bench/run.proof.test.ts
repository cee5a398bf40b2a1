import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import type { Judged } from './judge.ts'

const PARTS = ['counts', 'flows', 'size', 'cold']

/** As `npm run bench` runs it: on the packed package, in a project of its own, with fresh processes over TLS. */
it('measures the package, and fails a check when a goal is missed', async () => {
  const { out, code } = await run('--quick', '--only', ...PARTS, '--json', '--check')
  const { goals } = JSON.parse(out) as { goals: readonly Judged[] }
  expect(new Set(goals.map(({ part }) => part))).toEqual(new Set(PARTS))
  expect(goals.filter(({ seen }) => typeof seen !== 'number')).toEqual([])
  expect(code).toBe(goals.every(({ met }) => met) ? 0 : 1)
})

async function run(...args: readonly string[]): Promise<{ out: string; code: unknown }> {
  const file = join(import.meta.dirname, 'run.ts')
  const child = spawn(process.execPath, ['--conditions=lineclear:source', file, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [out, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return { out, code }
}
