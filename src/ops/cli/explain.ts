import { explain as explainShown, type Explained } from '../operator/explain.ts'
import { idIn } from '../operator/log/isAbout.ts'
import type { LogReport } from '../operator/log/readLog.ts'
import { type Shown, showRequest } from '../operator/showRequest.ts'
import type { Happening } from '../operator/timelineEvent.ts'
import { timelineOf } from '../operator/timeline.ts'
import type { Command, ExitCode, Io } from './command.ts'
import { findShown, notFound } from './resolveId.ts'
import { printJson } from './printJson.ts'
import { printTimeline, timelineJson } from './printTimeline.ts'
import { positionals, readArgs } from './readArgs.ts'
import { readLogs } from './readLogs.ts'
import { oneLine } from './table.ts'

const OPTIONS = {
  scan: { type: 'boolean' },
  request: { type: 'string' },
  log: { type: 'string', multiple: true },
} as const

export const explain: Command = {
  name: 'explain',
  summary:
    'everything known of one id, in words: what happened, what becomes of its copies, what to do',
  usage: `lineclear explain ID [--request UNIQUEREQUESTID] [--log FILE]… [--scan]

  ID          consumer/ID or flow/KEY; with --log or --scan any id, such as a uniquerequestid or an SQS message id
  --request   what the flow remembers of this request: why its messages were dropped
  --log       log of the functions, - for standard input: shows what happened as a time line, with why each copy was dropped,
              which the table does not keep. JSON lines, as they are, or as aws logs tail and filter-log-events give them:
                aws logs tail /aws/lambda/NAME --since 1d | lineclear explain ID --log -
              With --local the log that the local cloud has written is read by itself
  --scan      reads the whole table (dynamodb:Scan); it costs as much as the table is large`,
  run: async (args, io) => {
    const { values, positionals: given } = readArgs(args, OPTIONS)
    const [id] = positionals(given, ['ID'])
    const { log: files = io.logFiles, request, scan = false } = values
    const log = files.length === 0 ? undefined : await readLogs(files, { id, request }, io)
    const byLog = log !== undefined && !scan && !id.includes('/')
    const found = byLog ? await findNamed(log, io) : await findShown(id, scan, io)
    const sought = byLog ? 'in the log' : scan ? 'whole table' : 'by key'
    if (found.length === 0 && !io.json) io.err(notFound(id, sought, io))
    const asked = request ?? (id.includes('/') ? undefined : id)
    const parts = found.flatMap((shown) => explainShown(shown, io.clock.now(), asked))
    return tell({ parts, timeline: timelineOf(log?.entries ?? [], found), log }, io)
  },
}

/** More than a request has consumers. */
const MOST_IDS = 20

/** A bare id: the lines of the log say under which ids the table knows it. */
async function findNamed({ entries }: LogReport, io: Io): Promise<readonly Shown[]> {
  const ids = new Set(entries.map(idIn).filter((id) => id !== undefined))
  const found = [...ids].slice(0, MOST_IDS).map((id) => showRequest(io.reader(), id))
  return (await Promise.all(found)).flat()
}

interface Told {
  readonly parts: readonly Explained[]
  readonly timeline: readonly Happening[]
  readonly log: LogReport | undefined
}

function tell({ parts, timeline, log }: Told, io: Io): ExitCode {
  const unknown = parts.length === 0 && timeline.length === 0
  if (io.json) {
    const read = log && { lines: log.lines, skipped: log.skipped, more: log.more }
    printJson(io, { explained: parts, timeline: timelineJson(timeline), log: read })
    return unknown ? 4 : 0
  }
  for (const { title, lines } of parts) {
    io.out(oneLine(title))
    for (const line of lines) io.out(`  ${oneLine(line)}`)
  }
  if (log !== undefined) printTimeline(timeline, log, io)
  return unknown ? 4 : 0
}
