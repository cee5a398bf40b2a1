import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { readZip } from './readZip.ts'

export interface Template {
  readonly Resources: Record<string, { Type: string; Properties: Record<string, unknown> }>
  readonly Parameters?: Record<string, unknown>
}

export interface Packaged {
  readonly remove: () => void
  readonly template: Template
  readonly artefact: (functionName: string) => {
    readonly bytes: number
    readonly files: ReadonlyMap<string, Buffer>
  }
}

const ROOT = resolve(import.meta.dirname, '../..')

/**
 * Packages serverless.yml, without account, credentials or settings of this machine. Only one at a time: the plugin works in a
 * folder of the repository.
 */
export async function packageService(): Promise<Packaged> {
  const folder = mkdtempSync(join(tmpdir(), 'lineclear-package-'))
  const remove = (): void => {
    rmSync(folder, { recursive: true, force: true })
  }
  await run(folder).catch((error: unknown) => {
    remove()
    throw error
  })
  const text = readFileSync(join(folder, 'cloudformation-template-update-stack.json'), 'utf8')
  return {
    remove,
    template: JSON.parse(text) as Template,
    artefact: (functionName) => {
      const zip = readFileSync(join(folder, `${functionName}.zip`))
      return { bytes: zip.length, files: readZip(zip) }
    },
  }
}

function run(folder: string): Promise<void> {
  const binaries = join(ROOT, 'node_modules/.bin')
  const child = spawn(join(binaries, 'osls'), ['package', '--package', folder], {
    cwd: ROOT,
    env: { PATH: [binaries, process.env['PATH']].join(delimiter), HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 150_000,
  })
  let said = ''
  child.stdout.on('data', (text: Buffer) => (said += text.toString()))
  child.stderr.on('data', (text: Buffer) => (said += text.toString()))
  return new Promise((done, fail) => {
    child.once('error', fail)
    child.once('close', (code) => {
      if (code === 0) done()
      else fail(new Error(`osls package ended with ${code}:\n${said}`))
    })
  })
}
