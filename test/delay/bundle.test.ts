import { build } from 'esbuild'
import { expect, it } from 'vitest'

async function bundleOf(name: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { ${name} } from 'lineclear'; globalThis.x = ${name}`,
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    conditions: ['lineclear:source'],
    external: ['@aws-sdk/*', '@smithy/*'],
  })
  return outputFiles[0]?.text ?? ''
}

it.each(['recordHandler', 'defineFlow', 'idempotent', 'producer'])(
  'a bundle of %s without storedDelays holds nothing of it',
  async (name) => {
    expect(await bundleOf(name)).not.toMatch(/src\/delay\/|later#/)
  },
)

it('a bundle of storedDelays holds the rows, and not the sweeper', async () => {
  const bundle = await bundleOf('storedDelays')
  expect(bundle).toMatch(/src\/delay\/delayedRow/)
  expect(bundle).not.toMatch(/judgeDelayed|sendDelayed/)
})
