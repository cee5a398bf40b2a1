import { expect, it } from 'vitest'
import { bundleOf } from '../../package/bundleOf.ts'

const using = (name: string): string =>
  `import { ${name} } from 'lineclear'; globalThis.x = ${name}`

it.each(['recordHandler', 'defineFlow', 'idempotent', 'producer'])(
  'a bundle of %s without storedDelays holds nothing of it',
  async (name) => {
    expect(await bundleOf(using(name))).not.toMatch(/library\/features\/delay\/|later#/)
  },
)

it('a bundle of storedDelays holds the rows, and not the sweeper', async () => {
  const bundle = await bundleOf(using('storedDelays'))
  expect(bundle).toMatch(/library\/features\/delay\/delayedRow/)
  expect(bundle).not.toMatch(/judgeDelayed|sendDelayed/)
})
