import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { argv, env } from 'node:process'

/**
 * All that is checked without running the code, what is most often wrong first: `npm run static`. For some folders only their format, their
 * lint, and the types of all of src, or of everything: `npm run static -- src/library/protocol/claim test/claim`.
 */
const ROOT = resolve(import.meta.dirname, '../..')
const folders = argv.slice(2)

/** The compiler keeps what it knows, and checks next time only what depends on a change. */
const types = (project: string): string =>
  `tsc -p ${project} --noEmit --incremental --tsBuildInfoFile .lineclear/types/${project.replaceAll('/', '.')}.json`

const everything = [
  'oxfmt --check',
  types('src/tools/package/tsconfig.json'),
  types('tsconfig.json'),
  types('src/tools/console/app/tsconfig.json'),
  types('test/tools/console/browser/tsconfig.json'),
  types('test/documents/site/browser/tsconfig.json'),
  'npm run -s structure',
  'oxlint --type-aware',
]
const part = [
  `oxfmt --check ${folders.join(' ')}`,
  types(
    folders.every((folder) => folder.startsWith('src'))
      ? 'src/tools/package/tsconfig.json'
      : 'tsconfig.json',
  ),
  `oxlint --type-aware ${folders.join(' ')}`,
]

/** Most use one core and a half. */
const AT_ONCE = 2

const waiting = (folders.length === 0 ? everything : part).values()
const wrong: string[] = []
await Promise.all(Array.from({ length: AT_ONCE }, lane))
if (wrong.length > 0) console.log(`\nWrong: ${wrong.join(', ')}`)
process.exitCode = wrong.length === 0 ? 0 : 1

async function lane(): Promise<void> {
  for (const command of waiting) {
    const began = performance.now()
    const { said, isGood } = await run(command)
    const seconds = ((performance.now() - began) / 1_000).toFixed(1)
    const [name = ''] = command.split(' --noEmit')
    console.log(
      `${isGood ? 'ok    ' : 'WRONG '} ${name} (${seconds} s)${isGood ? '' : `\n${said}`}`,
    )
    if (!isGood) wrong.push(name)
  }
}

async function run(command: string): Promise<{ said: string; isGood: boolean }> {
  const [program = '', ...args] = command.split(' ')
  const child = spawn(program, args, {
    cwd: ROOT,
    // npm has put node_modules/.bin first.
    env: { FORCE_COLOR: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exit = once(child, 'exit')
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), exit])
  return { said: `${out}${err}`, isGood: code === 0 }
}
