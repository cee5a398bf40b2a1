import type { AuditEntry } from '../../library/entries/sweeper/audit/auditRow.ts'
import { planMembers, listAudit } from '../operator/audit/listAudit.ts'
import type { ExitCode, Io } from './command.ts'
import { printJson, oneLine, tableLines } from './table.ts'

interface Asked {
  /** Milliseconds. */
  readonly since: number
  /** What was changed. undefined: anything. */
  readonly id: string | undefined
  readonly who: string | undefined
  readonly action: string | undefined
}

export async function listHistory({ since, id, who, action }: Asked, io: Io): Promise<ExitCode> {
  const now = io.clock.now()
  const entries: AuditEntry[] = []
  const filter = { ids: id === undefined ? undefined : [id], action, by: who }
  const span = { since: now - since, now }
  for await (const entry of listAudit(io.reader(), span, filter, planMembers(io.store()))) {
    entries.push(entry)
  }
  if (io.json) printJson(io, { entries })
  else if (entries.length === 0) io.out(oneLine(io.here(noneOf(io.change.args.length === 2, id))))
  else for (const line of tableLines(HEAD, entries.map(rowOf), undefined)) io.out(line)
  return 0
}

/** Read as an answer to what was asked: a filter that matches nothing says nothing about other changes. */
function noneOf(isAll: boolean, of: string | undefined): string {
  if (of !== undefined) {
    return `No change names ${of}. Plans of many are kept for 15 days: lineclear explain --history --action dlq; older than 7 days: --since 400d`
  }
  return isAll
    ? 'No change is recorded in the last 7 days. Older ones: lineclear explain --history --since 400d'
    : 'No change of this selection is recorded. All of the last 7 days: lineclear explain --history; older ones: --since 400d'
}

const HEAD = ['AT', 'BY', 'ACTION', 'ID', 'PLAN', 'RESULT', 'WHY']

function rowOf({ at, by, action, id, plan, result, why }: AuditEntry): readonly string[] {
  return [at, by, action, id, plan, result, why]
}
