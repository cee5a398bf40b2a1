import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { endOf } from '../demo/runDemo.ts'

const ROOT = resolve(import.meta.dirname, '../../..')

/** The package with a copy of its examples. */
function copied(): string {
  const folder = mkdtempSync(join(tmpdir(), 'lineclear-wrong-'))
  cpSync(join(ROOT, 'examples'), join(folder, 'examples'), { recursive: true })
  for (const name of ['src', 'node_modules', 'package.json']) {
    symlinkSync(join(ROOT, name), join(folder, name))
  }
  return folder
}

it.each([
  ['right', (text: string) => text, 0, ''],
  [
    'wrong',
    (text: string) => text.replace('add: { reserved: quantity', 'add: { reserved: 2 * quantity'),
    1,
    'The books of this example are wrong',
  ],
])('an example whose books are %s says so by its exit code', async (_, change, code, said) => {
  const folder = copied()
  const handler = join(folder, 'examples/orders/handler.ts')
  writeFileSync(handler, change(readFileSync(handler, 'utf8')))
  const args = ['--conditions=lineclear:source', 'examples/run.ts', 'orders']
  const end = await endOf(spawn(process.execPath, args, { cwd: folder }))
  rmSync(folder, { recursive: true })
  expect(end.code, end.stdout).toBe(code)
  expect(end.stderr).toContain(said)
})
