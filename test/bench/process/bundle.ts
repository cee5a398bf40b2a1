import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import type { PeerName } from '../peers/index.ts'

const BENCH = resolve(import.meta.dirname, '..')

/**
 * A function as it is deployed, the SDK in it, in several files: what is imported at its first use is a file of its own. It runs the
 * batch in the file that it is given, and reports on file descriptor 3. Built-in modules are loaded without an import, which would
 * slow the bare peer.
 */
export async function bundleCold(peer: PeerName, directory: string): Promise<string> {
  const outdir = join(directory, peer)
  const contents = `
    import { contextOf } from './context.ts'
    import { ${peer} } from './peers/${peer}.ts'
    const { readFileSync, writeSync } = process.getBuiltinModule('fs')
    const event = JSON.parse(readFileSync(process.argv[2], 'utf8'))
    let executions = 0
    const handler = ${peer}({ work: () => { executions += 1 } })
    await handler(event, contextOf('first'))
    writeSync(3, JSON.stringify({ wall: performance.now(), executions }))
    process.exit()`
  await build({
    stdin: { contents, resolveDir: BENCH, loader: 'ts', sourcefile: 'start.ts' },
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    conditions: ['module'],
    logLevel: 'error',
    outdir,
    entryNames: 'start',
    outExtension: { '.js': '.mjs' },
    // Modules of the SDK that are CommonJS ask for Node's own by require.
    banner: {
      js: "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);",
    },
  })
  return join(outdir, 'start.mjs')
}
