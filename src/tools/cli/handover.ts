import type { AuditEntry } from '../../library/entries/sweeper/audit/auditRow.ts'
import { listAudit } from '../operator/audit/listAudit.ts'
import type { StatusFinding } from '../operator/status/finding.ts'
import { formatDuration } from '../operator/text/humanTime.ts'
import { isoTime } from '../../library/base/time.ts'
import type { Io } from './command.ts'
import { findingText } from './currentStatus.ts'
import { oneLine } from './table.ts'

interface Handover {
  readonly entries: readonly AuditEntry[]
  readonly note: string | undefined
  readonly markdown: readonly string[]
}

/** What is open and paused, and what operators did, for the next engineer on call. @param since milliseconds */
export async function handoverOf(
  { findings, unread }: Pick<Shift, 'findings' | 'unread'>,
  { since, note }: { readonly since: number; readonly note: string | undefined },
  io: Io,
): Promise<Handover> {
  const now = io.clock.now()
  const entries: AuditEntry[] = []
  for await (const entry of listAudit(io.reader(), { since: now - since, now })) entries.push(entry)
  const shift = { findings, unread, done: entries, note, span: since }
  return { entries, note, markdown: linesOf(shift, io) }
}

interface Shift {
  readonly findings: readonly StatusFinding[]
  readonly unread: readonly string[]
  /** The newest first. */
  readonly done: readonly AuditEntry[]
  readonly note: string | undefined
  readonly span: number
}

function linesOf({ findings, unread, done, note, span }: Shift, io: Io): readonly string[] {
  const now = io.clock.now()
  const ofKinds = (...kinds: readonly StatusFinding['kind'][]) =>
    findings.filter(({ kind }) => kinds.includes(kind)).map((each) => itemOf(each, io))
  const open = findings.filter(({ kind }) => kind !== 'paused' && kind !== 'operation')
  const missing = unread.map((each) => `- not read: ${plain(each)}`)
  return [
    `# Handover of ${plain(io.table)}, ${isoTime(now).slice(0, 16)}Z`,
    ...section('Open', [...open.map((each) => itemOf(each, io)), ...missing]),
    ...section('Paused', ofKinds('paused')),
    ...section('Changes of many that run or have stopped', ofKinds('operation')),
    ...section(
      `Done by operators in the last ${formatDuration(span)}`,
      done.toReversed().map(actOf),
    ),
    ...section('Note', [note === undefined ? '…' : plain(note)]),
  ]
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return ['', `## ${title}`, '', ...(lines.length === 0 ? ['nothing'] : lines)]
}

function itemOf(finding: StatusFinding, { clock, here }: Io): string {
  const { severity, kind, next } = finding
  const mark = severity === 'note' ? '' : '**'
  return `- ${mark}${kind}${mark}: ${plain(findingText(finding, clock.now()))} → \`${oneLine(here(next)).replaceAll('`', "'")}\``
}

function actOf({ at, by, action, id, plan, result, why }: AuditEntry): string {
  const because = why === '' ? '' : `: ${why}`
  return `- ${at.slice(0, 16)}Z ${plain(`${by}, ${action} ${id}, plan ${plan}, ${result}${because}`)}`
}

/** Foreign text forges no line, link or heading. */
function plain(text: string): string {
  return oneLine(text).replaceAll(/[\\`*_[\]<>|#]/g, (sign) => `\\${sign}`)
}
