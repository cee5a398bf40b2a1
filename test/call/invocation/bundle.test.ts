import { describe, expect, it } from 'vitest'
import { bundleOf } from '../../package/bundleOf.ts'

describe('a bundle', () => {
  it.each([
    "import { idempotent } from 'lineclear'; globalThis.x = idempotent",
    "import { idempotency } from 'lineclear/middy'; globalThis.x = idempotency",
    "import { recordHandler } from 'lineclear'; globalThis.x = recordHandler",
  ])('that does not name invocationHandler holds none of it: %s', async (code) => {
    const bundle = await bundleOf(code)
    expect(bundle).not.toMatch(/entries\/call\/invocation\//)
  })

  it('of an idempotent function holds no ctx', async () => {
    const code = "import { idempotent } from 'lineclear'; globalThis.x = idempotent"
    expect(await bundleOf(code)).not.toMatch(/run\/context\/openContext/)
  })

  it('with invocationHandler holds it', async () => {
    const code = "import { invocationHandler } from 'lineclear'; globalThis.x = invocationHandler"
    expect(await bundleOf(code)).toMatch(/entries\/call\/invocation\/openCall/)
  })
})
