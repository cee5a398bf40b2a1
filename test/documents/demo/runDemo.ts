import { spawn, type ChildProcess } from 'node:child_process'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'

const ROOT = resolve(import.meta.dirname, '../../..')

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** What the demo prints with `--json`. */
export interface Audited {
  readonly naive: { readonly timeouts: number; readonly audit: object }
  readonly lineclear: object
}

/** The audit of a ledger that is right. */
export const sound = { lost: 0, doubled: 0, balanced: true, accountsAgree: true } as const

/** The command as `npm run demo` gives it. */
export function startDemo(...args: readonly string[]): ChildProcess {
  const command = ['--conditions=lineclear:source', 'examples/demo/run.ts', ...args]
  return spawn(process.execPath, command, { cwd: ROOT, stdio: ['pipe', 'pipe', 'pipe'] })
}

export async function endOf(child: ChildProcess): Promise<Ended> {
  const { stdout, stderr } = child
  if (stdout === null || stderr === null) throw new Error('started without pipes')
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [out, err, code] = await Promise.all([text(stdout), text(stderr), ended])
  return { code, stdout: out, stderr: err }
}

/** @param input what comes on standard input */
export function runDemo(args: readonly string[], input = ''): Promise<Ended> {
  const child = startDemo(...args)
  child.stdin?.end(input)
  return endOf(child)
}

export function lastLine(stdout: string): string {
  return stdout.trimEnd().split('\n').at(-1) ?? ''
}
