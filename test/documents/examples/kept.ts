import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { run as runHere } from '../../tools/cli/runHere.ts'
import { endOf } from '../demo/runDemo.ts'

const ROOT = resolve(import.meta.dirname, '../../..')

/** What was there while an example was kept up, and what was left when it had ended. */
interface Kept {
  /** The command of the hint, and its exit code in another process. */
  readonly hint: string
  readonly explained: number
  readonly listed: number
  /** Exit code of the example after Ctrl-C. */
  readonly code: number | null
  readonly left: boolean
  readonly alive: boolean
}

/** The command as `npm run example` gives it, in a folder. */
export function startExample(folder: string, ...args: readonly string[]): ChildProcess {
  const command = ['--conditions=lineclear:source', join(ROOT, 'examples/run.ts'), ...args]
  // As in a terminal: the tests silence it.
  const env = { ...process.env, POWERTOOLS_LOG_LEVEL: undefined }
  return spawn(process.execPath, command, { cwd: folder, env, stdio: ['pipe', 'pipe', 'pipe'] })
}

/** Keeps an example up, types the commands of its hint, and ends it. */
export async function keepExample(name: string): Promise<Kept> {
  const cwd = mkdtempSync(join(tmpdir(), 'lineclear-kept-'))
  try {
    const child = startExample(cwd, name, '--keep')
    const end = endOf(child)
    const hint = await Promise.race([hintOf(child), end.then(({ stderr }) => failed(stderr))])
    const [, id = ''] = /explain '?([^'\s]+)/.exec(hint) ?? []
    const explained = await runHere(['--local', 'explain', id], { cwd })
    const listed = await runHere(['--local', 'ls'], { cwd })
    child.kill('SIGINT')
    const { code } = await end
    return {
      hint,
      explained: explained.code,
      listed: listed.code,
      code,
      left: existsSync(join(cwd, '.lineclear')),
      alive: (await runHere(['--local', 'ls'], { cwd })).code === 0,
    }
  } finally {
    rmSync(cwd, { recursive: true })
  }
}

/** Resolves with the line of the hint when all of it has been printed. */
function hintOf(child: ChildProcess): Promise<string> {
  let said = ''
  return new Promise((done) => {
    child.stdout?.on('data', (text: Buffer) => {
      said += text.toString()
      if (said.includes('everything else')) done(/npm run .* explain .*/.exec(said)?.[0] ?? '')
    })
  })
}

function failed(stderr: string): never {
  throw new Error(`the example has ended: ${stderr}`)
}
