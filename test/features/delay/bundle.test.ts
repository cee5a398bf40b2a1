import { expect, it } from 'vitest'
import { bundleOf } from '../../package/bundleOf.ts'

const using = (name: string): string =>
  `import { ${name} } from 'lineclear'; globalThis.x = ${name}`

it.each(['recordHandler', 'defineFlow', 'idempotent', 'producer'])(
  'a bundle of %s without storedDelays holds nothing of it',
  async (name) => {
    // A flow writes the row of its own end, and reads none.
    expect(await bundleOf(using(name))).not.toMatch(/library\/features\/delay\/|readDelayed/)
  },
)

it('a bundle of storedDelays holds the rows, and not the sweeper', async () => {
  const bundle = await bundleOf(using('storedDelays'))
  expect(bundle).toMatch(/claim\/delayed\/delayedRow/)
  expect(bundle).not.toMatch(/judgeDelayed|sendDelayed/)
})
