// serverless.yml can call .js only.

/**
 * serverless-esbuild leaves out of a function's package what begins with the path of another function's bundle, and takes all else: with
 * esbuild's own names each package would hold the chunks of all functions.
 */
export default [
  {
    name: 'chunks are named after the bundle that loads them',
    setup: ({ initialOptions }) => {
      const [entry = ''] = initialOptions.entryPoints
      const bundle = entry.replace(/^.*\//, '').replace(/\.\w+$/, '')
      initialOptions.chunkNames = `${bundle}.[name]-[hash]`
    },
  },
]
