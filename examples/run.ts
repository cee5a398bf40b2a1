import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { EXAMPLES, OWN_COMMANDS } from './catalogue.ts'
import { UsageError } from './demo/usageError.ts'
import { exitCodeOf, runKept } from './kept.ts'
import { readableLine } from './readableLine.ts'
import { type RunArguments, readRunArguments } from './runArguments.ts'

process.exit(await runWith(process.argv.slice(2)))

/** @returns the exit code */
async function runWith(args: readonly string[]): Promise<number> {
  try {
    return await run(readRunArguments(args))
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    process.stderr.write(`${error.message}\nNothing was run. All examples: npm run example\n`)
    return 2
  }
}

async function run({ name, keep, console: withConsole, help }: RunArguments): Promise<number> {
  if (name === undefined || help) {
    console.log(helpText())
    return 0
  }
  const example = EXAMPLES[name]
  if (example === undefined) throw new UsageError(notRunnable(name))
  if (keep) return runKept(example, makeReadable, { console: withConsole })
  makeReadable()
  return exitCodeOf(await example.run(example.count, console.log))
}

function helpText(): string {
  const lines = Object.entries(EXAMPLES).map(([name, { about }]) => `  ${name.padEnd(20)}${about}`)
  return `npm run example NAME [-- --keep | --console]

  --keep     leaves the local cloud up at the end, and shows how to look into it; Ctrl-C ends it
  --console  the same, and serves the console in your browser

${lines.join('\n')}`
}

function notRunnable(name: string): string {
  const command = OWN_COMMANDS[name]
  if (command !== undefined) return `${name}: this one is run by ${command}`
  const isFolder = /^[a-z-]+$/.test(name) && existsSync(join(import.meta.dirname, name))
  return isFolder
    ? `${name}: expected an example that runs on a local cloud; this one has none. Its files are in examples/${name}`
    : `expected ${Object.keys(EXAMPLES).join(', ')}; got ${JSON.stringify(name)}`
}

/** Loggers and metrics write lines of JSON, each in one piece. */
function makeReadable(log: (line: string) => void = () => {}): void {
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream)
    stream.write = (text: string | Uint8Array): boolean => {
      if (typeof text !== 'string') return write(text)
      if (text.startsWith('{')) log(text.trimEnd())
      const line = readableLine(text)
      return line === undefined || write(line)
    }
  }
}
