import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdir, readFile, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  binary,
  installPacked,
  linkOptionalPeers,
  linkPackages,
  makeProject,
  type Project,
} from '../../package/dist/install.ts'
import { ROOT } from '../readme/documents.ts'
import { settled, type Step, stepsOf } from './tutorialSteps.ts'

/** Commands that only look are typed again until they show what the page shows: a retry takes seconds. */
const LOOKS = /^(?:cat|npx lineclear --local (?:explain|status)) /
const STARTS = 'npx lineclear dev dev.ts'

let project: Project
let dev: ChildProcess

beforeAll(async () => {
  project = await makeProject()
  await installPacked(project)
  await linkOptionalPeers(project)
  await linkPackages(project, ['zod'])
  await mkdir(join(project.directory, 'node_modules/.bin'), { recursive: true })
  const command = join(project.package, 'dist/tools/cli/main.js')
  await chmod(command, 0o755)
  await symlink(command, join(project.directory, 'node_modules/.bin/lineclear'))
})

afterAll(async () => {
  if (dev !== undefined && dev.exitCode === null) {
    dev.kill('SIGINT')
    await once(dev, 'exit')
  }
  await rm(project.directory, { recursive: true, force: true })
})

it('each step of the tutorial prints what the page shows', async () => {
  const page = await readFile(join(ROOT, 'examples/tutorial/README.md'), 'utf8')
  const [install, ...steps] = stepsOf(page)
  expect(install?.command).toContain('npm install')
  await cp(join(project.package, 'examples/tutorial'), project.directory, { recursive: true })
  const printed: Step[] = []
  let plan = ''
  for (const { command, output } of steps) {
    if (command === STARTS) await start()
    const text = command === STARTS ? '' : await typed(command.replace('7f3a91c2', plan), output)
    plan = /--apply ([0-9a-f]{8})/.exec(text)?.[1] ?? plan
    printed.push({ command, output: output === undefined ? undefined : settled(text) })
  }
  expect(printed).toEqual(steps)
}, 300_000)

async function start(): Promise<void> {
  const main = join(project.package, 'dist/tools/cli/main.js')
  const stdio = ['ignore', 'pipe', 'inherit'] as const
  dev = spawn(binary('node'), [main, 'dev', 'dev.ts'], {
    cwd: project.directory,
    env: environment(),
    stdio: [...stdio],
  })
  let said = ''
  await new Promise<void>((resolve, reject) => {
    dev.stdout?.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      if (said.includes('Ctrl-C')) resolve()
    })
    dev.once('exit', () => reject(new Error(`it has ended: ${said}`)))
  })
}

async function typed(command: string, wanted: string | undefined): Promise<string> {
  const until = Date.now() + 60_000
  for (;;) {
    const text = await execute(command)
    const isThere = wanted === undefined || settled(text) === wanted
    if (isThere || !LOOKS.test(command) || Date.now() > until) return text
  }
}

async function execute(command: string): Promise<string> {
  const options = { cwd: project.directory, env: environment() }
  const { stdout } = await promisify(execFile)('sh', ['-c', command], options)
  return stdout
}

/** Nothing of the tests' own: a terminal has none of it. */
function environment(): NodeJS.ProcessEnv {
  const { HOME, PATH } = process.env
  return { HOME, PATH: `${join(ROOT, 'node_modules/.bin')}:${PATH}` }
}
