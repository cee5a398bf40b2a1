import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { binary } from '../dist/install.ts'
import { run } from '../dist/run.ts'

it('failures, retries and dead letters are the same in a bundle with splitting', async () => {
  const config = resolve(import.meta.dirname, 'vitest.config.ts')
  const said = await run(
    binary('vitest'),
    ['run', '--config', config],
    resolve(import.meta.dirname, '../../..'),
  )
  expect(said).toMatch(/Test Files .*7 passed/)
})
