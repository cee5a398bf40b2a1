import { existsSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../../../package.json' with { type: 'json' }
import { COMMANDS } from '../../../src/tools/cli/commands.ts'
import { ROOT } from './documents.ts'

const SCRIPTS: readonly string[] = Object.keys(manifest.scripts)
const BUILT_IN = ['ci', 'install', 'i', 'test', 'pack', 'run']
const COMMAND_NAMES = COMMANDS.map(({ words }) => words.split(' ')[0])
const BINARIES = ['lineclear', 'osls', 'vitest', 'tsc', 'oxfmt', 'oxlint']

/** What is wrong with a line of shell; undefined when nothing is. Only npm, npx and lineclear are judged. */
export function mistakeIn(line: string): string | undefined {
  const commands = line.replace(/\s#.*$/, '').split(/&&|\|/)
  return commands.map((command) => mistakeInCommand(wordsOf(command))).find(Boolean)
}

function mistakeInCommand([program, ...args]: readonly string[]): string | undefined {
  if (program === 'npm') return mistakeOfNpm(args)
  if (program === 'npx') return mistakeOfNpx(args)
  if (program === 'lineclear') return mistakeOfLineclear(args)
  return undefined
}

function mistakeOfNpm([verb = '', ...args]: readonly string[]): string | undefined {
  if (!BUILT_IN.includes(verb)) return `npm has no command ${verb}`
  if (verb === 'install' || verb === 'i') return args.map(mistakeOfPackage).find(Boolean)
  if (verb === 'test') return mistakeOfPaths(args)
  if (verb !== 'run') return undefined
  const [script = '', ...rest] = args.filter((arg) => arg !== '-s' && arg !== '--')
  if (!SCRIPTS.includes(script)) return `package.json has no script ${script}`
  return script === 'lineclear' ? mistakeOfLineclear(rest) : mistakeOfPaths(rest)
}

function mistakeOfPackage(name: string): string | undefined {
  const ours = [manifest.name, `./${manifest.name}-${manifest.version}.tgz`]
  if (name.startsWith('-') || ours.includes(name)) return undefined
  const { dependencies, peerDependencies, devDependencies } = manifest
  const known = { ...dependencies, ...peerDependencies, ...devDependencies }
  return name in known ? undefined : `package.json does not know the package ${name}`
}

function mistakeOfNpx(given: readonly string[]): string | undefined {
  const [binary = '', ...args] = given.filter((arg) => !arg.startsWith('--package='))
  if (!BINARIES.includes(binary)) return `no binary ${binary}`
  return binary === 'lineclear' ? mistakeOfLineclear(args) : mistakeOfPaths(args)
}

function mistakeOfLineclear(args: readonly string[]): string | undefined {
  const name = args.find((arg) => !arg.startsWith('-'))
  if (name === undefined || COMMAND_NAMES.includes(name)) return undefined
  return `lineclear has no command ${name}`
}

function mistakeOfPaths(args: readonly string[]): string | undefined {
  const paths = args.filter((arg) => /^(?:src|test|examples)\//.test(arg) && !/[A-Z]{3}/.test(arg))
  const missing = paths.find((path) => !existsSync(join(ROOT, path)))
  return missing === undefined ? undefined : `no file ${missing}`
}

function wordsOf(command: string): string[] {
  return command
    .trim()
    .split(/\s+/)
    .filter((word) => !/^[A-Z_]+=/.test(word))
}
