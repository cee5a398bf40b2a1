import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import type { PeerName } from '../peers/index.ts'

const BENCH = resolve(import.meta.dirname, '..')

/** `split`: ES modules, and what is imported at its first use is a file of its own. `CommonJS`: one file, as
 * most tools bundle. `one ES module`: one file of the other kind. */
export type Form = 'split' | 'CommonJS' | 'one ES module'

/**
 * A function as it is deployed, the SDK in it. It runs the batch in the file that it is given, and reports on file descriptor 3.
 * Built-in modules are loaded without an import, which would slow the bare peer.
 */
export async function bundleCold(peer: PeerName, form: Form, directory: string): Promise<string> {
  const outdir = join(directory, form, peer)
  const extension = form === 'CommonJS' ? '.cjs' : '.mjs'
  const contents = `
    import { contextOf } from './context.ts'
    import { ${peer} } from './peers/${peer}.ts'
    const { readFileSync, writeSync } = process.getBuiltinModule('fs')
    const event = JSON.parse(readFileSync(process.argv[2], 'utf8'))
    let executions = 0
    const handler = ${peer}({ work: () => { executions += 1 } })
    handler(event, contextOf('first')).then(() => {
      const { user, system } = process.cpuUsage()
      writeSync(3, JSON.stringify({ cpu: (user + system) / 1_000, wall: performance.now(), executions }))
      process.exit()
    })`
  await build({
    stdin: { contents, resolveDir: BENCH, loader: 'ts', sourcefile: 'start.ts' },
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    conditions: ['module'],
    logLevel: 'error',
    outdir,
    entryNames: 'start',
    outExtension: { '.js': extension },
    ...(form === 'CommonJS' ? { format: 'cjs' } : { ...MODULES, splitting: form === 'split' }),
  })
  return join(outdir, `start${extension}`)
}

const MODULES = {
  format: 'esm',
  // Modules of the SDK that are CommonJS ask for Node's own by require.
  banner: {
    js: "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);",
  },
} as const
