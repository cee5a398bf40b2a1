import { spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { readZip } from './readZip.ts'

export interface Template {
  readonly Resources: Record<string, { Type: string; Properties: Record<string, unknown> }>
  readonly Parameters?: Record<string, unknown>
}

/** What ends osls before it has ended. */
export interface Bounds {
  readonly limitMs?: number
  readonly stop?: AbortSignal
}

export interface Packaged {
  readonly remove: () => void
  /** Deploys what lies in `folder`, in that environment, and in no other. @throws Error with what the tool said */
  readonly deploy: (environment: Readonly<Record<string, string>>, bounds?: Bounds) => Promise<void>
  /** The template and the artefacts. */
  readonly folder: string
  readonly template: Template
  readonly artefact: (functionName: string) => {
    readonly bytes: number
    readonly files: ReadonlyMap<string, Buffer>
  }
}

const ROOT = resolve(import.meta.dirname, '../../..')

/** What the template is made from. */
const SOURCES = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'node_modules',
  'examples',
  'src',
]

/**
 * Packages serverless.yml with these options of osls, without account, credentials or settings of this machine. The plugin works in folders beside the
 * template, which two test runs at once would delete under each other: each has a place of its own, with links to the sources.
 */
export async function packageService(options: readonly string[] = []): Promise<Packaged> {
  const folder = mkdtempSync(join(tmpdir(), 'lineclear-package-'))
  const remove = (): void => {
    rmSync(folder, { recursive: true, force: true })
  }
  linkSources(folder)
  const run = runIn(folder, options)
  await run('package', {}).catch((error: unknown) => {
    remove()
    throw error
  })
  const text = readFileSync(
    join(folder, PACKAGE, 'cloudformation-template-update-stack.json'),
    'utf8',
  )
  return {
    remove,
    deploy: (environment, bounds) => run('deploy', environment, bounds),
    folder: join(folder, PACKAGE),
    template: JSON.parse(text) as Template,
    artefact: (functionName) => {
      const zip = readFileSync(join(folder, PACKAGE, `${functionName}.zip`))
      return { bytes: zip.length, files: readZip(zip) }
    },
  }
}

/** It takes eight seconds; on a busy machine minutes. */
const LIMIT_MS = 280_000
const PACKAGE = 'package'
const SERVICE = 'service'

function linkSources(folder: string): void {
  const service = join(folder, SERVICE)
  mkdirSync(service)
  // A link to it is not taken for a template.
  copyFileSync(join(ROOT, 'serverless.yml'), join(service, 'serverless.yml'))
  for (const source of SOURCES) symlinkSync(join(ROOT, source), join(service, source))
}

type Run = (
  command: 'package' | 'deploy',
  environment: Readonly<Record<string, string>>,
  bounds?: Bounds,
) => Promise<void>

function runIn(folder: string, options: readonly string[]): Run {
  return (command, environment, { limitMs = LIMIT_MS, stop } = {}) => {
    const binaries = join(ROOT, 'node_modules/.bin')
    const args = [command, '--package', join(folder, PACKAGE), ...options]
    const child = spawn(join(binaries, 'osls'), args, {
      cwd: join(folder, SERVICE),
      env: {
        PATH: [binaries, process.env['PATH']].join(delimiter),
        HOME: folder,
        // osls leaves a folder for each function behind.
        TMPDIR: folder,
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: limitMs,
      ...(stop !== undefined && { signal: stop }),
    })
    let said = ''
    child.stdout.on('data', (text: Buffer) => (said += text.toString()))
    child.stderr.on('data', (text: Buffer) => (said += text.toString()))
    return new Promise((done, fail) => {
      // One that is stopped is waited for.
      child.once('error', (error) => stop?.aborted || fail(error))
      child.once('close', (code) => {
        if (code === 0) done()
        else fail(new Error(`osls ${command} ended with ${code}:\n${said}`))
      })
    })
  }
}
