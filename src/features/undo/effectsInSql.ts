import type { Invocation } from '../../deliver/invocation.ts'
import { TerminalError } from '../../base/errors.ts'
import type { RunReference } from '../../record/envelope/envelope.ts'
import type { ParkedUndo } from './parkedUndo.ts'

/** An effect that stands in the SQL database. */
export interface SqlResult {
  readonly result: unknown
}

/**
 * The effects of a stage in SQL, by name. The fence goes beyond the run first: a COMMIT of its last attempt may still be on the
 * wire, and the next run may not begin for a long time.
 */
export async function effectsInSql(
  { key, uniqueRequestId, epoch, plan }: ParkedUndo,
  { name: flow, from: stage }: RunReference,
  invocation: Invocation,
): Promise<ReadonlyMap<string, SqlResult>> {
  if (!plan.inSql) return new Map()
  const { sql, retention } = invocation.consumer
  if (sql === undefined) throw noDatabase(flow, stage)
  const next = {
    subject: key.pk,
    request: uniqueRequestId,
    epoch: epoch + 1,
    stage,
    fence: 0,
    isSurelyFirst: false,
  }
  const timeLeft = (): number => invocation.remainingTime()
  const made = await sql.made({ fencing: next, retention, timeLeft })
  return new Map([...made].map(([name, result]) => [name, { result }]))
}

function noDatabase(flow: string, stage: string): TerminalError {
  return new TerminalError(
    `undo of stage '${stage}' of flow '${flow}': the flow no longer has the option sql, so it is unknown which effects of ctx.sql stand. ` +
      'Nothing was undone. Add it, deploy, and redrive this dead letter.',
  )
}
