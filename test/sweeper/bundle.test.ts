import { expect, it } from 'vitest'
import { filesIn } from '../package/bundleOf.ts'

const tops = (files: readonly string[]): ReadonlySet<string | undefined> =>
  new Set(files.map((file) => /src\/(?:library\/entries\/)?(\w+)/.exec(file)?.[1]))

it.each(['recordHandler', 'defineFlow', 'idempotent', 'producer'])(
  'a bundle with %s holds nothing of the sweeper',
  async (name) => {
    const files = await filesIn(`import { ${name} } from 'lineclear'; globalThis.x = ${name}`)
    expect(tops(files)).not.toContain('sweeper')
  },
)

it('a bundle with sweepHandler holds it, and no tool', async () => {
  const files = await filesIn(
    "import { sweepHandler } from 'lineclear'; globalThis.x = sweepHandler",
  )
  expect(tops(files)).toContain('sweeper')
  expect(tops(files)).not.toContain('tools')
})
