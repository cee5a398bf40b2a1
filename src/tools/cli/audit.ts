import type { AuditEntry } from '../../sweeper/audit/auditRow.ts'
import { listAudit } from '../operator/audit/listAudit.ts'
import type { CliCommand } from './command.ts'
import { printJson } from './printJson.ts'
import { positionals, readArgs, readDuration } from './readArgs.ts'
import { oneLine, tableLines } from './table.ts'

const TEXT = { type: 'string' } as const

export const audit: CliCommand = {
  name: 'audit',
  summary: 'list the changes that operators have made',
  usage: `lineclear audit [--since AGE] [--id ID] [--who WHO] [--action ACTION]

  Every command with --apply writes a row before it changes anything, and its result afterwards. Rows are kept for 400 days.
  The result begun means that the command was killed, or that the table did not answer: lineclear explain ID shows the item.

  --since AGE      not older than this: 2h, 30d (default 7d)
  --id ID          changes of this consumer/ID, flow/KEY, scope/KEY, queue, function or mapping. Changes of many stand under their queue
  --who WHO        changes by this operator
  --action ACTION  only these: tokens, tokens release, dlq redrive, …`,
  run: async (args, io) => {
    const { values, positionals: given } = readArgs(args, {
      since: TEXT,
      id: TEXT,
      who: TEXT,
      action: TEXT,
    })
    positionals(given, [])
    const now = io.clock.now()
    const since = now - (readDuration('--since', values.since) ?? WEEK)
    const entries: AuditEntry[] = []
    const filter = { id: values.id, action: values.action, by: values.who }
    for await (const entry of listAudit(io.reader(), { since, now }, filter)) entries.push(entry)
    if (io.json) printJson(io, { entries })
    else if (entries.length === 0) io.out(oneLine(noneOf(args, values.id)))
    else for (const line of tableLines(HEAD, entries.map(rowOf), undefined)) io.out(line)
    return 0
  },
}

/** Read as an answer to what was asked: a filter that matches nothing says nothing about other changes. */
function noneOf(args: readonly string[], id: string | undefined): string {
  if (id !== undefined) {
    return `No change names ${id}. One of many names its queue or group instead: lineclear audit --action dlq; older than 7 days: --since 400d`
  }
  return args.length === 0
    ? 'No change is recorded in the last 7 days. Older ones: lineclear audit --since 400d'
    : 'No change of this selection is recorded. All of the last 7 days: lineclear audit; older ones: --since 400d'
}

const WEEK = 7 * 86_400_000
const HEAD = ['AT', 'BY', 'ACTION', 'ID', 'PLAN', 'RESULT', 'WHY']

function rowOf({ at, by, action, id, plan, result, why }: AuditEntry): readonly string[] {
  return [at, by, action, id, plan, result, why]
}
