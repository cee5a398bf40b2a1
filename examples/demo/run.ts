import { readArguments } from './arguments.ts'
import { makeUpCallbacks } from './callbacks.ts'
import { runDemo } from './demo.ts'
import { progressOn } from './progress.ts'
const args = readArguments(process.argv.slice(2), 1)
const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const t = Date.now()
const r = await runDemo(
  {
    ...args,
    bodies: makeUpCallbacks(args.messages, args.seed),
    logger: args.verbose ? console : quiet,
  },
  progressOn(process.stdout),
  new AbortController().signal,
)
console.log(JSON.stringify(r, null, 1), Date.now() - t)
