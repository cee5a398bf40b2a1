import { execFileSync } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { build } from 'esbuild'

// Each handler of src as dist/NAME.zip: index.mjs, and the files that it loads on first use. dev.ts is for `lineclear dev`.
rmSync('dist', { recursive: true, force: true })
const handlers = readdirSync('src').filter((each) => /^[\w-]+\.ts$/.test(each) && each !== 'dev.ts')
for (const file of handlers) {
  const outdir = `dist/${file.replace('.ts', '')}`
  await build({
    entryPoints: { index: `src/${file}` },
    outdir,
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    splitting: true,
    mainFields: ['module', 'main'],
    outExtension: { '.js': '.mjs' },
    // Packages that are CommonJS call require, which an ES module has to make.
    banner: {
      js: "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);",
    },
  })
  execFileSync('zip', ['-qr', `../${outdir.slice(5)}.zip`, '.'], { cwd: outdir })
}
