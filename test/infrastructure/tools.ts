import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { delimiter, join, resolve } from 'node:path'
import { runStep } from '../referees/runStep.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const FOLDER = join(ROOT, '.lineclear/infrastructure')

/** A tool of Python: its package, and the command that it brings. Each has a folder of its own, because they pin each other. */
interface PythonTool {
  readonly name: string
  readonly version: string
  readonly command: string
}

export const CFN_LINT: PythonTool = { name: 'cfn-lint', version: '1.58.0', command: 'cfn-lint' }
export const CHECKOV: PythonTool = { name: 'checkov', version: '3.3.30', command: 'checkov' }
export const SAM: PythonTool = { name: 'aws-sam-cli', version: '1.170.0', command: 'sam' }

/** An installation takes one minute; what takes longer than this hangs. */
const LIMIT_MS = 6 * 60_000

/** @returns its path, or undefined when it is not installed */
export function pathOf(tool: PythonTool): string | undefined {
  return existsSync(markOf(tool)) ? join(folderOf(tool), 'bin', tool.command) : undefined
}

/** What is found on the PATH: Terraform is no package of npm or Python. */
export function onPath(command: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return folders.map((folder) => join(folder, command)).find((file) => existsSync(file))
}

/** Into an environment of its own; where it is installed, nothing is done. @throws Error with what pip said last */
export async function install(tool: PythonTool): Promise<void> {
  if (pathOf(tool) !== undefined) return
  const folder = folderOf(tool)
  await rm(folder, { recursive: true, force: true })
  await mkdir(FOLDER, { recursive: true })
  await carryOut('python3', ['-m', 'venv', folder])
  const wanted = `${tool.name}==${tool.version}`
  const quiet = ['--quiet', '--no-compile', '--disable-pip-version-check', '--no-input']
  await carryOut(join(folder, 'bin/pip'), ['install', ...quiet, wanted])
  await writeFile(markOf(tool), '')
}

async function carryOut(command: string, args: readonly string[]): Promise<void> {
  const { code, said } = await runStep({ command, args }, { limit: LIMIT_MS, quiet: true })
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${said}`)
}

function folderOf({ name, version }: PythonTool): string {
  return join(FOLDER, `${name}-${version}`)
}

/** Written when all of it is there: an installation that was cut off begins anew. */
function markOf(tool: PythonTool): string {
  return join(folderOf(tool), 'installed')
}
