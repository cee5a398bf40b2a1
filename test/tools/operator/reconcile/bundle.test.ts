import { expect, it } from 'vitest'
import { bundleOf } from '../../../package/bundleOf.ts'

it.each([
  "import { recordHandler } from 'lineclear'; import { dynamoDbStore } from 'lineclear/dynamodb'; globalThis.x = [recordHandler, dynamoDbStore]",
  "import { sweepHandler } from 'lineclear/operator'; globalThis.x = sweepHandler",
])('nothing of reconcile is in the bundle of %s', async (code) => {
  expect(await bundleOf(code)).not.toMatch(/operator\/reconcile|begins_with\(pk/)
})

it('a bundle with reconcile holds it', async () => {
  const bundle = await bundleOf(
    "import { reconcile } from 'lineclear/operator'; globalThis.x = reconcile",
  )
  expect(bundle).toMatch(/operator\/reconcile\/judge/)
})
