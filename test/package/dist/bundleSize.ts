import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

export interface BundleSize {
  readonly minified: number
  readonly gzipped: number
}

/** The share of Lineclear in a consumer's bundle, in bytes. The SDK comes with the Lambda runtime. */
export async function bundleSize(code: string, directory: string): Promise<BundleSize> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: directory },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    logLevel: 'silent',
    external: ['@aws-sdk/*', '@smithy/*'],
  })
  const bundled = outputFiles[0]?.contents ?? new Uint8Array()
  return { minified: bundled.byteLength, gzipped: gzipSync(bundled).byteLength }
}
