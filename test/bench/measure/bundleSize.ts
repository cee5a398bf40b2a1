import { gzipSync } from 'node:zlib'
import { build, type Metafile } from 'esbuild'

/** Bytes of minified code without the SDK, which the Lambda runtime has too. */
export interface BundleSize {
  readonly minified: number
  readonly gzipped: number
  readonly files: number
}

export interface BundleSizes {
  readonly single: BundleSize
  /** Of a bundle in several files: those that are loaded before the first record. The rest waits for its first use. */
  readonly hot: BundleSize
}

/** What the code and all that it imports become. `conditions`: as in the `exports` of a package. */
export async function bundleSizes(
  code: string,
  directory: string,
  conditions: readonly string[] = [],
): Promise<BundleSizes> {
  const [single, split] = await Promise.all(
    [false, true].map((splitting) =>
      build({
        stdin: { contents: code, resolveDir: directory },
        bundle: true,
        minify: true,
        metafile: true,
        write: false,
        outdir: '/bundle',
        absWorkingDir: '/',
        splitting,
        format: 'esm',
        platform: 'node',
        target: 'node22',
        conditions: ['module', ...conditions],
        logLevel: 'silent',
        // Else `strict` of this repository puts 'use strict' into each module: what is installed from npm has none.
        tsconfigRaw: {},
        external: ['@aws-sdk/*', '@smithy/*'],
      }),
    ),
  )
  return { single: sizeOf(single), hot: sizeOf(split) }
}

interface Built {
  readonly outputFiles?: readonly { readonly path: string; readonly contents: Uint8Array }[]
  readonly metafile?: Metafile
}

function sizeOf({ outputFiles = [], metafile }: Built | undefined = {}): BundleSize {
  const outputs = metafile?.outputs ?? {}
  const entry = Object.keys(outputs).find((path) => outputs[path]?.entryPoint !== undefined)
  const loaded = new Set(entry === undefined ? [] : [entry])
  for (const path of loaded) {
    for (const { kind, path: imported, external } of outputs[path]?.imports ?? []) {
      if (kind === 'import-statement' && external !== true) loaded.add(imported)
    }
  }
  const contents = outputFiles.flatMap((file) =>
    loaded.has(file.path.slice(1)) ? [file.contents] : [],
  )
  return {
    minified: contents.reduce((total, { byteLength }) => total + byteLength, 0),
    gzipped: contents.reduce((total, each) => total + gzipSync(each).byteLength, 0),
    files: contents.length,
  }
}
