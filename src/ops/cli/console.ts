import type { CliCommand, ExitCode } from './command.ts'
import { untilInterrupted } from './interrupt.ts'
import { openInBrowser } from './openInBrowser.ts'
import { positionals, readArgs } from './readArgs.ts'
import { readPort } from './readPort.ts'
import { serveHere } from './serveHere.ts'

export const console: CliCommand = {
  name: 'console',
  summary: 'the commands as pages in your browser, served from this machine to this machine',
  usage: `lineclear console [--port N] [--open] [--allow-changes] [--queues PREFIX] [--redact PATH]…

  Prints one URL, which holds a token: whoever has it can read what you can. Serves until Ctrl-C. It reads only what a page asks
  for, with your credentials; each page says what it has cost, and which command it has run.

  --port N          default: a free one
  --open            open the URL in the browser
  --allow-changes   also plans and applies changes; without it the console has no way to change anything
  --queues PREFIX   look only at dead-letter queues whose names begin with it
  --redact PATH     never show this value of a JSON payload: customer.email, lines.*.sku, /lines/0/sku; @NAME: a message attribute`,
  run: async (args, io) => {
    const { values, positionals: given } = readArgs(args, OPTIONS)
    positionals(given, [])
    const port = readPort(values.port)
    return untilInterrupted(io.interrupt, async (signal): Promise<ExitCode> => {
      const running = await serveHere(io, {
        dev: false,
        canChange: values['allow-changes'] === true,
        port,
        queues: values.queues,
        redact: values.redact,
        events: io.events,
      })
      try {
        io.out(`The console: ${running.url}`)
        io.out('Ctrl-C ends it.')
        if (values.open === true) openInBrowser(running.url)
        await aborted(signal)
      } finally {
        await running.stop()
      }
      return 0
    })
  },
}

const OPTIONS = {
  port: { type: 'string' },
  open: { type: 'boolean' },
  'allow-changes': { type: 'boolean' },
  queues: { type: 'string' },
  redact: { type: 'string', multiple: true },
} as const

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
}
