import { type ChildProcess, fork } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { handlerEnvironment } from '../../../testing/local/dev/mapConsumers.ts'
import { connect, type OfHandlers, type OfParent } from './protocol.ts'

export interface Child {
  readonly peer: ReturnType<typeof connect<OfParent, OfHandlers>>
  /** The end of what it has written to standard error. */
  lastWords(): string
  kill(): Promise<void>
}

const LAST_WORDS = 4_000

/**
 * Starts a process that loads nothing of the user yet.
 * @param ours what it may ask
 * @param ended it has ended by itself
 */
export function forkChild(
  cwd: string,
  ours: OfParent,
  output: (line: string) => void,
  ended: (how: string) => void,
): Child {
  const child = fork(childFile(), [], {
    cwd,
    env: handlerEnvironment(process.env),
    serialization: 'advanced',
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let words = ''
  let isKilled = false
  for (const stream of [child.stdout, child.stderr]) {
    if (stream) createInterface({ input: stream }).on('line', output)
  }
  child.stderr?.on('data', (chunk: Buffer) => {
    words = (words + chunk.toString()).slice(-LAST_WORDS)
  })
  const gone = new Promise<void>((resolve) => {
    // Not 'exit': its last words may still be in the pipe.
    child.once('close', (code, signal) => {
      resolve()
      if (!isKilled) ended(signal === null ? `exit code ${code}` : `signal ${signal}`)
    })
  })
  return {
    peer: connect<OfParent, OfHandlers>(
      channelTo(child, () => isKilled),
      ours,
    ),
    lastWords: () => words,
    kill: () => {
      isKilled = true
      child.kill('SIGKILL')
      return gone
    },
  }
}

/** What a killed process has sent before counts no more: its invocations are over. */
function channelTo(child: ChildProcess, isKilled: () => boolean) {
  return {
    // It may have died a moment ago.
    send: (message: object) => void (child.connected && child.send(message, () => {})),
    onMessage: (listener: (message: unknown) => void) => {
      child.on('message', (message) => {
        if (!isKilled()) listener(message)
      })
    },
  }
}

/** TypeScript in the repository, JavaScript in the package. */
function childFile(): string {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return fileURLToPath(new URL(`./child.${extension}`, import.meta.url))
}
