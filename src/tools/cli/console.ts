import { flag, kind, type Kind, prefix, words } from '../commands/kinds.ts'
import { type Command, command, type ExitCode } from './command.ts'
import { untilInterrupted } from './interrupt.ts'
import { serveHere, showUntil } from './serveHere.ts'

export const port: Kind<number> = kind('N', (text, refuse) => {
  const given = /^\d{1,5}$/.test(text) ? Number(text) : 0
  return given > 0 && given < 65_536 ? given : refuse('a number from 1 to 65535')
})

export const console: Command = command({
  words: 'console',
  summary: 'the commands as pages in your browser, served from this machine to this machine',
  about: [
    'Prints one URL. It contains a token: anyone on this machine who has it can read with your credentials what you can read. Serves until Ctrl-C. Calls AWS only for the page that you open; each page shows what that cost, and the command that it has run.',
  ],
  arguments: {},
  options: {
    port: { kind: port, help: 'default: a free one' },
    open: { kind: flag, help: 'open the URL in the browser' },
    allowChanges: { kind: flag, help: 'also plan and apply changes: without it no route does' },
    queues: { kind: prefix, help: 'look only at dead-letter queues whose names begin with it' },
    redact: {
      kind: words,
      word: 'PATH',
      help: 'never show this value of a JSON payload: customer.email, lines.*.sku, /lines/0/sku; @NAME: a message attribute',
      many: true,
    },
  },
  examples: ['console --local', 'console --queues orders --allow-changes'],
  run: async (given, io) => {
    return untilInterrupted(io.interrupt, async (signal): Promise<ExitCode> => {
      const running = await serveHere(io, {
        dev: false,
        canChange: given.allowChanges,
        port: given.port,
        queues: given.queues,
        redact: given.redact,
        events: io.events,
      })
      try {
        return await showUntil(signal, running.url, given.open, io)
      } finally {
        await running.stop()
      }
    })
  },
})
