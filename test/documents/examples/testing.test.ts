import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../../..')

it('the example for node:test passes', async () => {
  const args = ['--conditions=lineclear:source', '--test', 'examples/testing/orders.nodetest.ts']
  // A test that is run by a test would otherwise report to it.
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, env })
  expect(stdout).toMatch(/pass 1\n[^]*fail 0/)
})
