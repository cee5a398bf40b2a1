import { messageOf } from '../../errors.ts'
import { beginAudit, type NewAuditEntry } from '../operator/audit/auditRow.ts'
import { shellWord } from '../operator/text/commandLine.ts'
import type { Io } from './command.ts'

/**
 * Makes a change between two writes of its audit row. If the result cannot be written, the row stays `begun`, and the change
 * counts.
 * @throws what the change throws; the row then says that it failed
 */
export async function audited<T extends string>(
  io: Pick<Io, 'store' | 'clock'>,
  entry: NewAuditEntry,
  change: () => Promise<T>,
): Promise<T> {
  const end = await beginAudit(io.store(), entry, io.clock.now())
  const result = await change().catch(async (error: unknown) => {
    await end(`failed: ${messageOf(error)}`).catch(() => {})
    throw error
  })
  await end(result).catch(() => {})
  return result
}

/** Options whose values are payloads, which may hold personal data: rows are kept for longer than a payload may be. */
const PAYLOADS: ReadonlySet<string> = new Set(['--answer', '--result', '--error', '--set'])

/** The command as typed; of a payload only the name of its call stays. */
export function commandWithoutPayloads(args: readonly string[]): string {
  const words = args.map((word, at) => {
    const [option = '', ...inline] = word.split('=')
    if (PAYLOADS.has(option) && inline.length > 0) return `${option}=${hidden(inline.join('='))}`
    return PAYLOADS.has(args[at - 1] ?? '') ? hidden(word) : shellWord(word)
  })
  return ['lineclear', ...words].join(' ')
}

/** `charge=…` of `charge={"id":5}`. */
function hidden(value: string): string {
  const [, name] = /^([\w./~-]+)=/.exec(value) ?? []
  return name === undefined ? '…' : `${name}=…`
}
