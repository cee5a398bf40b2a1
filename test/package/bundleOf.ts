import { build } from 'esbuild'

/** What esbuild makes of the code: its text, with the paths of the source files in comments, and the files that it holds. */
async function bundle(
  code: string,
): Promise<{ readonly text: string; readonly files: readonly string[] }> {
  const { outputFiles, metafile } = await build({
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
  return {
    text: outputFiles[0]?.text ?? '',
    files: Object.entries(output?.inputs ?? {}).flatMap(([file, { bytesInOutput }]) =>
      bytesInOutput > 0 ? [file] : [],
    ),
  }
}

/** The text of the bundle. */
export const bundleOf = async (code: string): Promise<string> => (await bundle(code)).text

/** The files whose code is in the bundle. */
export const filesIn = async (code: string): Promise<readonly string[]> =>
  (await bundle(code)).files
