import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'

const RIGHT_NODE = resolve(import.meta.dirname, 'rightNode.mjs')

it.each([
  { flags: ['--no-experimental-strip-types'], status: 1, lines: 1 },
  { flags: [], status: 0, lines: 0 },
])('a Node with $flags ends with $status and $lines lines', ({ flags, status, lines }) => {
  const args = [...flags, `--import=${RIGHT_NODE}`, '--eval', 'process.exitCode = 0']
  const run = spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect(run.stderr.split('\n').filter((line) => line.includes('is too old'))).toHaveLength(lines)
  expect(run.status).toBe(status)
})
