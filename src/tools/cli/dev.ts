import type { Health } from '../console/dev/types.ts'
import { type Thrown, thrownText } from '../console/reply.ts'
import { file, flag, number } from '../commands/kinds.ts'
import { type Command, command, type ExitCode, type Io } from './command.ts'
import { port } from './console.ts'
import { untilInterrupted } from './interrupt.ts'
import { serveHere, showUntil } from './serveHere.ts'
import { oneLine } from './table.ts'
import { UsageError } from './usageError.ts'

export const dev: Command = command({
  words: 'dev',
  summary:
    'your handlers on a local cloud, loaded again at each change, and the console beside them',
  about: [
    'FILE is a module whose default export is made by defineDev of lineclear/local: a cloud (queues, topics, tables), the handlers of its queues, and if you like samples to send, books (invariants of your data) and systems outside your account that handlers call.',
    'Starts the cloud on this machine, and the handlers in a process of their own. When a file changes that they have loaded, that process is killed and replaced: what is on the queues and in the tables stays, and invocations that ran are killed, as a crash of Lambda would kill them. An error in a file is shown; the handlers are loaded again at the next change.',
    'Prints one URL, of the console on this cloud: it also sends messages, injects faults, and checks the books. Other commands find the cloud in this folder: lineclear --local ls. Serves until Ctrl-C; all data are lost then. One at a time in a folder.',
    'TypeScript is run by Node.js itself: version 22.18 or later.',
  ],
  arguments: { file: { kind: file, help: 'the module' } },
  options: {
    seed: { kind: number(0, 999_999_999), help: 'by which faults are drawn', default: '1' },
    port: { kind: port, help: 'of the console; default: a free one' },
    managed: {
      kind: flag,
      help: 'as on Lambda Managed Instances: one process, and code runs on after its timeout',
    },
    open: { kind: flag, help: 'open the URL in the browser' },
  },
  examples: ['dev dev.ts --open'],
  run: async (given, io) => {
    const { file: module, seed, managed } = given
    checkNode(process.versions.node)
    const { startDev } = await import('../console/dev/startDev.ts')
    const work = async (signal: AbortSignal): Promise<ExitCode> => {
      const { cwd, clock } = io
      const changed = (health: Health): void => tell(io, module, health)
      const failed = (of: string, thrown: Thrown): void => io.err(failedLine(io, of, thrown))
      const running = await startDev({
        file: module,
        cwd,
        seed,
        managed,
        clock,
        changed,
        output: io.out,
        failed,
      })
      try {
        const page = await serveHere(io.openLocal(), {
          dev: true,
          canChange: true,
          port: given.port,
          own: running.routes,
          map: running.map,
          events: running.events,
        })
        running.onStop(page.stop)
        running.tell(page.url)
        return await showUntil(signal, page.url, given.open, io)
      } finally {
        await running.stop()
      }
    }
    return untilInterrupted(io.interrupt, work, { hangUp: true })
  },
})

/** Before it loads what older versions do not have, which would be a riddle. */
export function checkNode(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > 22 ? major !== 23 || minor >= 6 : major === 22 && minor >= 18) return
  throw new UsageError(`lineclear dev needs Node.js 22.18 or later; this is ${version}`)
}

function tell({ out, err, style }: Io, file: string, health: Health): void {
  const { state, reloads, reloadMs, error } = health
  if (state === 'ready' && reloads > 0) {
    out(`${style.good('loaded')} ${file} again (${reloads}), in ${reloadMs} ms`)
  }
  if (state !== 'broken' || error === undefined) return
  const place = error.line === undefined ? error.file : `${error.file}:${error.line}`
  err(`${style.bad('broken')} ${error.message}${place === undefined ? '' : ` (${place})`}`)
}

function failedLine({ style }: Io, of: string, thrown: Thrown): string {
  const { isDead, request } = thrown
  const glyph = isDead ? style.bad('✖') : style.warn('↻')
  const became = isDead ? 'dead-lettered' : 'retried later'
  return `${glyph} ${oneLine(`${thrownText(thrown)}  ${[of, request].join(' ')}: ${became}`)}`
}
