import { expect, it } from 'vitest'
import { bundleOf } from '../../package/bundleOf.ts'

it('a bundle without s3Objects holds neither S3 nor the hashes of payloads', async () => {
  const code =
    "import { defineFlow, producer, recordHandler } from 'lineclear'; globalThis.x = [defineFlow, producer, recordHandler]"
  const bundle = await bundleOf(code)
  expect(bundle).not.toMatch(/library\/features\/s3\/|openPayloads|client-s3|sha256 ===/)
})

it('a bundle with s3Objects holds both', async () => {
  const bundle = await bundleOf(
    "import { s3Objects } from 'lineclear/s3'; globalThis.x = s3Objects",
  )
  expect(bundle).toMatch(/library\/features\/payloads\/openPayloads/)
  expect(bundle).toMatch(/library\/features\/s3\/s3Objects/)
})
