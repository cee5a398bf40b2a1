import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

it('a batch of small messages that hold much does not fill the memory, and its neighbours run', async () => {
  const flags = ['--conditions=lineclear:source', '--max-old-space-size=300']
  const file = resolve(import.meta.dirname, 'hostileBatch.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, file])
  const seen: unknown = JSON.parse(stdout)
  expect(seen).toMatchObject({ ran: 31, kept: 0, dead: 30 })
})
