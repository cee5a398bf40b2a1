import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import type { Step } from './engines.ts'

const ROOT = resolve(import.meta.dirname, '../..')
/** Characters. */
const SAID_LENGTH = 3_000

export interface StepEnd {
  /** Undefined when it took too long and was ended. */
  readonly code: number | undefined
  /** The last lines of its output, in quiet mode. */
  readonly said: string
}

interface Running {
  /** Milliseconds. */
  readonly limit: number
  readonly quiet: boolean
  /** So many characters of its output are kept. */
  readonly length?: number
}

/** In a process group of its own, so that nothing of it outlives its time, or this process. */
export function runStep(
  { command, args, env = {} }: Step,
  { limit, quiet, length = SAID_LENGTH }: Running,
): Promise<StepEnd> {
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    detached: true,
    stdio: ['ignore', quiet ? 'pipe' : 'inherit', quiet ? 'pipe' : 'inherit'],
  })
  let said = ''
  const listen = (chunk: Buffer): void => {
    said = (said + chunk.toString()).slice(-length)
  }
  child.stdout?.on('data', listen)
  child.stderr?.on('data', listen)
  let isLate = false
  const kill = (): void => {
    if (child.pid === undefined) return
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch {
      // The group has ended.
    }
  }
  const timer = setTimeout(() => {
    isLate = true
    kill()
  }, limit)
  const stop = (): void => {
    kill()
    process.exit(1)
  }
  process.once('exit', kill).once('SIGINT', stop).once('SIGTERM', stop)
  return new Promise((done) => {
    const end = (code: number, last: string): void => {
      clearTimeout(timer)
      process.off('exit', kill).off('SIGINT', stop).off('SIGTERM', stop)
      kill()
      done({ code: isLate ? undefined : code, said: last })
    }
    child.once('error', (error) => end(127, error.message))
    child.once('close', (code) => end(code ?? 1, said.trim()))
  })
}
