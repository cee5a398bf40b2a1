import { expect, it } from 'vitest'
import { filesIn } from '../../package/bundleOf.ts'

const isTracing = (file: string): boolean =>
  /library\/features\/tracing\/|@opentelemetry/.test(file)

it.each(['recordHandler', 'defineFlow', 'producer', 'invocationHandler'])(
  'a bundle with %s holds nothing of tracing',
  async (name) => {
    const code = `import { ${name} } from 'lineclear'; globalThis.x = ${name}`
    expect((await filesIn(code)).filter(isTracing)).toEqual([])
  },
)

it('a bundle with openTelemetry holds its API, and no SDK', async () => {
  const code =
    "import { openTelemetry } from 'lineclear/opentelemetry'; globalThis.x = openTelemetry"
  const packages = (await filesIn(code)).flatMap((file) => /@opentelemetry\/[^/]+/.exec(file) ?? [])
  expect([...new Set(packages)]).toEqual(['@opentelemetry/api'])
})
