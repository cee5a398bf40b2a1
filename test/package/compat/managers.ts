import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import manifest from '../../../package.json' with { type: 'json' }
import { run } from '../dist/run.ts'
import { check } from './check.ts'
import { installed } from './tools.ts'

/** How a user adds packages, and starts a file and the command. */
interface Manager {
  readonly add: readonly string[]
  /** Before the file. Default: Node alone. */
  readonly node?: readonly string[]
  readonly command: readonly string[]
}

const byNode = (name: string, file: string): readonly string[] => [
  process.execPath,
  installed(name, file),
]
const NPM = ['npm']
const PNPM = byNode('pnpm', 'bin/pnpm.mjs')
const YARN_1 = byNode('yarn1', 'bin/yarn.js')
const YARN_4 = byNode('yarn4', 'bin/yarn.js')
const BUN = [installed('bun', 'bin/bun.exe')]

/** yarn 4 makes no `node_modules`: what a package has not declared it cannot import. */
const MANAGERS: Readonly<Record<string, Manager>> = {
  npm: { add: [...NPM, 'install'], command: [...NPM, 'exec', '--', 'lineclear'] },
  pnpm: { add: [...PNPM, 'add'], command: [...PNPM, 'exec', 'lineclear'] },
  'yarn 1': { add: [...YARN_1, 'add'], command: [...YARN_1, '--silent', 'lineclear'] },
  'yarn 4': {
    add: [...YARN_4, 'add'],
    node: [...YARN_4, 'node'],
    command: [...YARN_4, 'lineclear'],
  },
  bun: { add: [...BUN, 'add'], command: [...BUN, 'x', 'lineclear'] },
}

const PEERS = ['@aws-sdk/client-dynamodb@3', '@aws-sdk/client-sqs@3']
const HANDLES = `
const seen = []
const handler = recordHandler({ name: 'orders', store: memoryStore() }, (order) => void seen.push(order))
void handler(sqsEvent({ a: 1 }), {}).then(() => { if (seen.length !== 1) throw new Error('not handled') })
`
const FILES = {
  'use.mjs': `import { recordHandler } from 'lineclear'\nimport { memoryStore, sqsEvent } from 'lineclear/testing'${HANDLES}`,
  'use.cjs': `const { recordHandler } = require('lineclear')\nconst { memoryStore, sqsEvent } = require('lineclear/testing')${HANDLES}`,
  'package.json': '{ "name": "mine", "private": true }',
  // Without it yarn 4 takes the folder for a part of another project.
  'yarn.lock': '',
}

/** Each package manager in a project that has nothing else. @param tarball what was packed */
export async function checkManagers(tarball: string): Promise<void> {
  for (const [name, manager] of Object.entries(MANAGERS)) {
    await check(`${name} installs it, and what it has installed runs`, async () => {
      const project = await mkdtemp(join(tmpdir(), 'lineclear-manager-'))
      try {
        await use(manager, project, tarball)
      } finally {
        await rm(project, { recursive: true, force: true })
      }
    })
  }
}

async function use(
  { add, node = [process.execPath], command }: Manager,
  project: string,
  tarball: string,
): Promise<void> {
  for (const [file, text] of Object.entries(FILES)) await writeFile(join(project, file), text)
  await start([...add, `lineclear@file:${tarball}`, ...PEERS], project)
  for (const file of ['use.mjs', 'use.cjs']) await start([...node, file], project)
  const said = await start([...command, '--version'], project)
  if (said.trim() !== manifest.version) throw new Error(`--version says ${said}`)
}

function start([program = '', ...args]: readonly string[], directory: string): Promise<string> {
  return run(program, args, directory)
}
