import type { AuditEntry } from '../../sweeper/audit/auditRow.ts'
import { planMembers, listAudit } from '../operator/audit/listAudit.ts'
import { duration, id, name, words } from '../commands/kinds.ts'
import { type Command, command } from './command.ts'
import { printJson, oneLine, tableLines } from './table.ts'

export const audit: Command = command({
  words: 'audit',
  summary: 'the changes that operators have made',
  about: [
    'Every command with --apply writes a row before it changes anything, and its result afterwards. Rows are kept for 400 days.',
    'The result begun means that the command was killed, or that the table did not answer: lineclear explain ID shows the item.',
  ],
  arguments: {},
  options: {
    since: { kind: duration, help: 'not older than this: 2h, 30d', default: '7d', page: true },
    id: {
      kind: id,
      help: 'of this consumer/ID, flow/KEY, scope/KEY, queue, function or mapping; and redrives and changes of many that named it, for 15 days',
      page: true,
    },
    who: { kind: name, word: 'WHO', help: 'by this operator', page: true },
    action: { kind: words, word: 'ACTION', help: 'only these: decide, dlq redrive, …', page: true },
  },
  examples: ['audit --since 30d --action dlq'],
  route: 'audit',
  run: async ({ since: age, id: of, who, action }, io) => {
    const now = io.clock.now()
    const since = now - age
    const entries: AuditEntry[] = []
    const filter = { ids: of === undefined ? undefined : [of], action, by: who }
    for await (const entry of listAudit(
      io.reader(),
      { since, now },
      filter,
      planMembers(io.store()),
    )) {
      entries.push(entry)
    }
    if (io.json) printJson(io, { entries })
    else if (entries.length === 0) io.out(oneLine(io.here(noneOf(io.change.args.length === 1, of))))
    else for (const line of tableLines(HEAD, entries.map(rowOf), undefined)) io.out(line)
    return 0
  },
})

/** Read as an answer to what was asked: a filter that matches nothing says nothing about other changes. */
function noneOf(isAll: boolean, of: string | undefined): string {
  if (of !== undefined) {
    return `No change names ${of}. Plans of many are kept for 15 days: lineclear audit --action dlq; older than 7 days: --since 400d`
  }
  return isAll
    ? 'No change is recorded in the last 7 days. Older ones: lineclear audit --since 400d'
    : 'No change of this selection is recorded. All of the last 7 days: lineclear audit; older ones: --since 400d'
}

const HEAD = ['AT', 'BY', 'ACTION', 'ID', 'PLAN', 'RESULT', 'WHY']

function rowOf({ at, by, action, id, plan, result, why }: AuditEntry): readonly string[] {
  return [at, by, action, id, plan, result, why]
}
