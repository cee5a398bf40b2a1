import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { text } from 'node:stream/consumers'

const ROOT = resolve(import.meta.dirname, '../../..')
const CLI = 'src/tools/cli/main.ts'
const KILL = pathToFileURL(resolve(import.meta.dirname, 'killAtCall.ts')).href
const SOURCE = '--conditions=lineclear:source'
/** Milliseconds, on a busy machine. */
const LONGEST = 300_000

export interface Typed {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export interface BrokenShop extends AsyncDisposable {
  /** The folder in which commands are typed. */
  readonly place: string
  /** What was printed until it was up. */
  readonly printed: string
  /** A command of an operator, in a process of its own: `type('dlq', 'groups')`. */
  type(...args: readonly string[]): Promise<Typed>
  /** The same, killed by SIGKILL when its nth call is answered. `code` is null if it was. */
  typeAndKill(nth: number, ...args: readonly string[]): Promise<Typed>
  fix(cause: string): Promise<Typed>
  /** The demo, typed in the same folder a second time. */
  startAgain(): Promise<Typed>
  /** By Ctrl-C, or by `signal`. @returns the exit code */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** @param place the folder, an empty one by default; it is deleted at the end */
export async function startBrokenShop(place: string = emptyFolder()): Promise<BrokenShop> {
  const run = (script: string, args: readonly string[], killAt = 0) =>
    spawn(process.execPath, [SOURCE, '--import', KILL, join(ROOT, script), ...args], {
      cwd: place,
      env: { ...process.env, NO_COLOR: '1', KILL_AT: String(killAt) },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  const shop = run('examples/demo/run.ts', ['--broken'])
  const ended = new Promise<number | null>((end) => shop.once('close', end))
  let printed = ''
  await new Promise<void>((up, fail) => {
    const late = setTimeout(() => fail(new Error(`not up: ${printed}`)), LONGEST)
    const take = (chunk: Buffer): void => {
      printed += String(chunk)
      if (!printed.includes('It ends with Ctrl-C.')) return
      clearTimeout(late)
      up()
    }
    shop.stdout.on('data', take)
    shop.stderr.on('data', take)
    void ended.then(() => fail(new Error(`ended: ${printed}`)))
  })
  const typed = async (
    script: string,
    args: readonly string[],
    killAt?: number,
  ): Promise<Typed> => {
    const child = run(script, args, killAt)
    const closed = new Promise<number | null>((end) => child.once('close', end))
    const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), closed])
    return { code, out, err }
  }
  const demo = (...args: readonly string[]) => typed('examples/demo/run.ts', args)
  const stop = async (signal: NodeJS.Signals = 'SIGINT'): Promise<number | null> => {
    shop.kill(signal)
    return ended
  }
  return {
    place,
    printed,
    type: (...args) => typed(CLI, ['--local', '--by', 'ann', ...args]),
    typeAndKill: (nth, ...args) => typed(CLI, ['--local', '--by', 'ann', ...args], nth),
    fix: (cause) => demo('--fix', cause),
    startAgain: () => demo('--broken', '--seconds', '1'),
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop()
      await rm(place, { recursive: true, force: true })
    },
  }
}

export function emptyFolder(): string {
  return mkdtempSync(join(tmpdir(), 'lineclear-broken-'))
}
