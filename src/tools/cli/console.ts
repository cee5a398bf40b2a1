import type { CliCommand, ExitCode, Io } from './command.ts'
import { untilInterrupted } from './interrupt.ts'
import { openInBrowser } from './openInBrowser.ts'
import { positionals, readArgs } from './readArgs.ts'
import { readPort } from './readPort.ts'
import { readTemplates } from './readTemplates.ts'
import { serveHere, type ServeHereOptions } from './serveHere.ts'

export const console: CliCommand = {
  name: 'console',
  summary: 'the commands as pages in your browser, served from this machine to this machine',
  usage: `lineclear console [--port N] [--open] [--allow-changes] [--queues PREFIX] [--redact PATH]… [--template PATH]…

  Prints one URL. It contains a token: anyone on this machine who has it can read with your credentials what you can read. Serves
  until Ctrl-C. Calls AWS only for the page that you open; each page shows what that cost, and the command that it has run.

  --port N          default: a free one
  --open            open the URL in the browser
  --allow-changes   also plan and apply changes; without it the server has no routes for changes
  --queues PREFIX   look only at dead-letter queues whose names begin with it
  --redact PATH     never show this value of a JSON payload: customer.email, lines.*.sku, /lines/0/sku; @NAME: a message attribute
  --template PATH   draw the map from what is to be deployed: as lineclear doctor --template reads it. Default with --local: the template
                    of the local cloud. Without one, the map shows the consumers and flows that have open requests`,
  run: async (args, io) => {
    const { values, positionals: given } = readArgs(args, OPTIONS)
    positionals(given, [])
    const port = readPort(values.port)
    const drawn = io.events ? undefined : await openMap(values.template, io)
    return untilInterrupted(io.interrupt, async (signal): Promise<ExitCode> => {
      const running = await serveHere(io, {
        dev: false,
        canChange: values['allow-changes'] === true,
        port,
        queues: values.queues,
        redact: values.redact,
        events: io.events,
        ...drawn,
      })
      let removeFile: (() => Promise<void>) | undefined
      try {
        io.out(`The console: ${running.url}`)
        io.out('Ctrl-C ends it.')
        if (values.open === true) removeFile = await openInBrowser(running.url)
        await aborted(signal)
      } finally {
        await removeFile?.()
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
  template: { type: 'string', multiple: true },
} as const

type DrawnMap = Required<Pick<ServeHereOptions, 'map' | 'mapFiles'>>

/**
 * The files are read at once: a wrong path ends the command, not a page. That of the local cloud may have gone; then the map is drawn
 * from the table. Each look at the map reads them again.
 * @throws UsageError
 */
async function openMap(
  given: readonly string[] | undefined,
  io: Io,
): Promise<DrawnMap | undefined> {
  const mapFiles = given ?? (io.template === undefined ? [] : [io.template])
  if (mapFiles.length === 0) return undefined
  const { deployedMap } = await import('../console/deployedMap.ts')
  const map = async (): Promise<object> => {
    const deployment = await readTemplates(mapFiles, [], io, 'No console was started')
    return deployedMap(deployment)
  }
  try {
    await map()
  } catch (error) {
    if (given === undefined) return undefined
    throw error
  }
  return { map, mapFiles }
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
}
