import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Place } from './places/place.ts'

const MAIN = resolve(import.meta.dirname, '../../src/tools/cli/main.ts')

/** An operator's command: shows a plan first, and carries it out. @throws Error with what it said */
export async function operate(place: Place, args: readonly string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'lineclear-operator-'))
  try {
    const { plan } = JSON.parse(await run(place, folder, [...args, '--json'])) as { plan: string }
    await run(place, folder, [...args, '--apply', plan])
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function run(place: Place, cwd: string, args: readonly string[]): Promise<string> {
  const environment = await place.environment()
  const child = spawn(process.execPath, ['--conditions=lineclear:source', MAIN, ...args], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 120_000,
  })
  const ended = new Promise<number>((done) => child.once('close', (code) => done(code ?? -1)))
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  // 1: carried out, and some of them have failed again.
  if (code > 1 || code < 0) {
    throw new Error(`lineclear ${args.join(' ')} ended with ${code}: ${out}${err}`)
  }
  return out
}
