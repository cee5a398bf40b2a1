import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { firstFailure } from './failures.ts'
import { type Protection, ROOT } from './protection.ts'

const VITEST = resolve(ROOT, 'node_modules/vitest/vitest.mjs')

export interface TestRun {
  /** Parts of paths. Empty: all of the quick run. */
  readonly tests: readonly string[]
  /** What is switched off. */
  readonly off: Pick<Protection, 'file' | 'protects'> | undefined
  /** Milliseconds. Without a protection a test may wait for ever. */
  readonly limit: number
}

/** `file`: of the first test that failed; empty: an error outside of the tests. */
export type TestEnd =
  | { readonly kind: 'passed' }
  /** They had not ended in time. */
  | { readonly kind: 'late' }
  | { readonly kind: 'failed'; readonly file: string; readonly test: string }

const running = new Set<number>()

function end(group: number): void {
  try {
    process.kill(-group, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

process.once('exit', () => running.forEach(end))
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    console.log(`ended from outside (${signal})`)
    process.exit(1)
  })
}

/** Runs tests in a process of their own, until the first one fails. */
export async function runTests({ tests, off, limit }: TestRun): Promise<TestEnd> {
  const args = ['run', '--config', 'test/proof/sensitivity/vitest.config.ts', '--bail=1']
  const few = tests.length > 0 ? ['--maxWorkers=1', '--passWithNoTests', ...tests] : []
  const { LINECLEAR_WITHOUT: _none, ...env } = process.env
  const child = spawn(process.execPath, [VITEST, ...args, ...few], {
    cwd: ROOT,
    env: { ...env, ...(off && { LINECLEAR_WITHOUT: JSON.stringify(off) }) },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of processes of its own: its workers are ended with it.
    detached: true,
  })
  const { pid } = child
  if (pid !== undefined) running.add(pid)
  let output = ''
  child.stdout.on('data', (chunk) => (output += String(chunk)))
  child.stderr.on('data', (chunk) => (output += String(chunk)))
  let late = false
  const timer = setTimeout(() => {
    late = true
    if (pid !== undefined) end(pid)
  }, limit)
  const code = await new Promise<number | null>((resolveCode, reject) => {
    child.once('error', reject)
    child.once('close', resolveCode)
  })
  clearTimeout(timer)
  if (pid !== undefined) running.delete(pid)
  if (code === 0) return { kind: 'passed' }
  const failure = firstFailure(output)
  if (failure !== undefined) return { kind: 'failed', ...failure }
  if (late) return { kind: 'late' }
  return { kind: 'failed', file: '', test: output.trim().slice(-300) }
}
