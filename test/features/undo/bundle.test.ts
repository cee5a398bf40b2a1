import { expect, it } from 'vitest'
import { bundleOf } from '../../package/bundleOf.ts'

it('a bundle without compensate holds no code of undo', async () => {
  const code =
    "import { defineFlow, producer, recordHandler } from 'lineclear'; globalThis.x = [defineFlow, producer, recordHandler]"
  expect(await bundleOf(code)).not.toMatch(/src\/features\/undo\//)
})

it('a bundle with compensate holds it, and nothing of the sweeper', async () => {
  const bundle = await bundleOf("import { compensate } from 'lineclear'; globalThis.x = compensate")
  expect(bundle).toMatch(/src\/features\/undo\/decideEnding/)
  expect(bundle).not.toMatch(/src\/features\/undo\/sweepUndo/)
})
