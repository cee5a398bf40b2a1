import type { AuditEntry } from '../../sweeper/audit/auditRow.ts'
import { listAudit } from '../operator/audit/listAudit.ts'
import type { StatusFinding } from '../operator/status/finding.ts'
import { formatDuration } from '../operator/text/humanTime.ts'
import { isoTime } from '../../base/time.ts'
import { duration, flag, prefix, words } from '../commands/kinds.ts'
import { type Command, command, type Io } from './command.ts'
import { currentStatus, findingJson, findingText } from './currentStatus.ts'
import { printJson, oneLine } from './table.ts'

export const handover: Command = command({
  words: 'handover',
  summary:
    'what is open and paused, and what operators did, for the next engineer on call, in Markdown',
  about: ['Looks as lineclear status does, and at the audit. Nothing is changed.'],
  arguments: {},
  options: {
    since: { kind: duration, help: 'what operators did since then', default: '12h', page: true },
    note: { kind: words, help: 'what to know; without it there is room for one' },
    queues: { kind: prefix, help: 'only queues whose names begin with it', page: true },
    noQueues: { kind: flag, help: 'only the table', page: true },
  },
  examples: ['handover', 'handover --since 8h --no-queues'],
  route: 'handover',
  receives: true,
  run: async ({ since: span, note, queues, noQueues }, io, signal) => {
    const now = io.clock.now()
    const { findings, unread } = await currentStatus(noQueues ? null : queues, io, signal)
    const done: AuditEntry[] = []
    for await (const entry of listAudit(io.reader(), { since: now - span, now })) done.push(entry)
    const shown = findings.map(findingJson)
    const lines = markdown({ findings, unread, done, note, span }, io)
    if (io.json) printJson(io, { findings: shown, unread, entries: done, note, markdown: lines })
    else for (const line of lines) io.out(line)
    return 0
  },
})

interface Shift {
  readonly findings: readonly StatusFinding[]
  readonly unread: readonly string[]
  /** The newest first. */
  readonly done: readonly AuditEntry[]
  readonly note: string | undefined
  readonly span: number
}

function markdown({ findings, unread, done, note, span }: Shift, io: Io): readonly string[] {
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
