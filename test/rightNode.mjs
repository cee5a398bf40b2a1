import module from 'node:module'
import { fileURLToPath } from 'node:url'

// JavaScript, so that a Node that cannot load TypeScript says so in one line, before it fails at each file.
if (!process.features.typescript) {
  console.error(
    `Node ${process.versions.node} is too old: tests and scripts need 22.18 or later. \`npm ci\` has installed one, which npm and npx use; by hand, put it first: PATH=$PWD/node_modules/.bin:$PATH`,
  )
  process.exit(1)
}

// What processes of tests and scripts compile is kept: each of them starts in half of the time. Not where `npm run bench` measures starts.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(
  new URL('../node_modules/.cache/node', import.meta.url),
)
module.enableCompileCache(process.env['NODE_COMPILE_CACHE'])
