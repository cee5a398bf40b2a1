import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { newProject, type ToolName } from '../../src/tools/init/index.ts'
import { pathOf, SAM } from './tools.ts'

/** One command of a README that `lineclear init` writes, typed in its project. */
interface Typed {
  readonly what: string
  /** undefined: not typed, and `why`. */
  readonly command: string | undefined
  readonly why: string
}

interface Step extends Omit<Typed, 'command'> {
  readonly command: string | undefined
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/**
 * What a stranger types, in order: the package as it is published, `lineclear init` in a bare folder, every command that the README in
 * it names, and its tests once more, which a build must not have broken.
 */
export function walkOf(tool: ToolName, out: string): readonly Step[] {
  const folder = join(out, `walk-${tool}`)
  const tarball = join(out, `lineclear-${manifest.version}.tgz`)
  const { files } = newProject(folder, tool, 'orders')
  const readme = files.find(({ path }) => path === 'README.md')?.text ?? ''
  const init = `mkdir "$0" && cd "$0" && npx --yes --package="${tarball}" lineclear init ${tool} --write`
  const typed: readonly Typed[] = [
    { what: `lineclear init ${tool} --write`, command: init, why: '' },
    ...commandsIn(readme).map((line) => typedAs(tool, line, tarball)),
    { what: 'npm test, once more', command: 'npm test', why: '' },
  ]
  return typed.map(({ what, command, why }, nth) => ({
    what: `${tool}: ${what}`,
    command: command && 'sh',
    args: ['-c', nth === 0 ? init : `cd "$0" && ${command ?? ''}`, folder],
    env: bareEnvironment(),
    why,
  }))
}

/** The lines of its block of commands. */
export function commandsIn(readme: string): readonly string[] {
  const [, block = ''] = /```sh\n([^]*?)\n```/.exec(readme) ?? []
  return block.split('\n').filter((line) => line !== '')
}

function typedAs(tool: ToolName, line: string, tarball: string): Typed {
  const [command = '', comment = ''] = line.split(' # ')
  const [, unreleased] = /unreleased: (.*)$/.exec(comment) ?? []
  const shown = unreleased ?? command
  const own = (text: string | undefined, why = ''): Typed => ({ what: shown, command: text, why })
  if (unreleased !== undefined) return own(unreleased.replace('PATH-OF-ITS-TARBALL', tarball))
  // Until it says where it listens, then Ctrl-C.
  if (command === 'npm run dev') {
    return own('timeout --signal=INT 30 npm run dev > dev.log 2>&1; grep -q "http://" dev.log')
  }
  if (command === 'npm run deploy') return own(undefined, 'it needs an account')
  if (tool === 'sam' && pathOf(SAM) === undefined) return own(undefined, 'SAM is not installed')
  if (tool !== 'terraform') return own(command)
  // The doctor reads a plan.
  const what = `${shown}, its build alone: a plan needs the provider and an account`
  return { what, command: 'npm run build', why: '' }
}

/** No packages of this repository, such as its esbuild, and no account. */
function bareEnvironment(): Readonly<Record<string, string>> {
  const sam = pathOf(SAM)
  const folders = [
    dirname(realpathSync(process.execPath)),
    ...(sam === undefined ? [] : [dirname(sam)]),
    ...['/usr/local/bin', '/usr/bin', '/bin'].filter((folder) => existsSync(folder)),
  ]
  return {
    PATH: folders.join(':'),
    AWS_REGION: 'eu-central-1',
    AWS_DEFAULT_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'none',
    AWS_SECRET_ACCESS_KEY: 'none',
    SAM_CLI_TELEMETRY: '0',
    CI: 'true',
  }
}
