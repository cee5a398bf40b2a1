import type { Invocation } from '../../deliver/invocation.ts'
import { TerminalError } from '../../base/errors.ts'
import type { RunReference } from '../../record/envelope/envelope.ts'
import type { ParkedUndo } from './parkDead.ts'

/** `begun`: an outside call, whose result is stored or not. `not made`: the call certainly did not happen. */
export type EffectState = 'made' | 'begun' | 'not made'

/** The effects of a stage by name, from the marks of its run: `stage:name`, `stage?nth:name` and `stage!nth:name`. */
export function effectsOf(
  marks: ReadonlySet<string>,
  stage: string,
): ReadonlyMap<string, EffectState> {
  const effects = new Map<string, EffectState>()
  for (const mark of marks) {
    if (mark.startsWith(`${stage}:`)) effects.set(mark.slice(stage.length + 1), 'made')
  }
  for (const mark of marks) {
    const { nth = '', name = '' } = beganBy(mark, stage) ?? {}
    if (nth === '') continue
    const isLast = !marks.has(`${stage}?${Number(nth) + 1}:${name}`)
    if (isLast) effects.set(name, marks.has(`${stage}!${nth}:${name}`) ? 'not made' : 'begun')
  }
  return effects
}

function beganBy(
  mark: string,
  stage: string,
): { readonly nth: string; readonly name: string } | undefined {
  if (!mark.startsWith(`${stage}?`)) return undefined
  const rest = mark.slice(stage.length + 1)
  const colon = rest.indexOf(':')
  return { nth: rest.slice(0, colon), name: rest.slice(colon + 1) }
}

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
