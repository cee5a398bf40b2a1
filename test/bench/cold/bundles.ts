import { join, resolve } from 'node:path'
import { build, type BuildOptions } from 'esbuild'
import type { PeerName } from '../peers/index.ts'

const BENCH = resolve(import.meta.dirname, '..')

const OPTIONS = {
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  conditions: ['lineclear:source'],
  logLevel: 'error',
  // Modules of the SDK that were CommonJS ask for Node's own by require.
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
} satisfies BuildOptions

/**
 * A function as it is deployed, everything in one file; it runs the batch in the file that it is given, and reports on file
 * descriptor 3. Built-in modules are loaded without an import, which would slow the bare peer.
 */
export async function bundleCold(peer: PeerName, directory: string): Promise<string> {
  const outfile = join(directory, `${peer}.mjs`)
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
  await build({ ...OPTIONS, stdin: { contents, resolveDir: BENCH, loader: 'ts' }, outfile })
  return outfile
}
