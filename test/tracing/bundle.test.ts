import { build } from 'esbuild'
import { expect, it } from 'vitest'

/** Files of the source, and packages, that a bundle holds. */
async function filesIn(code: string): Promise<readonly string[]> {
  const { metafile } = await build({
    stdin: { contents: code, resolveDir: import.meta.dirname },
    bundle: true,
    metafile: true,
    write: false,
    format: 'esm',
    platform: 'node',
    conditions: ['lineclear:source'],
    external: ['@aws-sdk/*', '@smithy/*'],
    logLevel: 'silent',
  })
  const [output] = Object.values(metafile.outputs)
  return Object.entries(output?.inputs ?? {}).flatMap(([file, { bytesInOutput }]) =>
    bytesInOutput > 0 ? [file] : [],
  )
}

const isTracing = (file: string): boolean => /src\/tracing\/|@opentelemetry/.test(file)

it.each(['recordHandler', 'defineFlow', 'producer', 'invocationHandler', 'callEffects'])(
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
