import type { Claim, ClaimStrategy } from '../../deliver/claimStrategy.ts'
import type { IncomingRecord } from '../../deliver/incomingRecord.ts'
import type { Invocation } from '../../deliver/invocation.ts'
import { type Handle, tokenStrategy } from '../../deliver/tokenStrategy.ts'
import type { RecordsToUndo, UndoEngine } from '../../consumer/undo.ts'
import type { Hold } from '../../claim/hold.ts'
import type { OpenContext } from '../../context/openContext.ts'
import { undoableAfter, UNDO_SUFFIX } from '../../claim/token/deadRecord.ts'
import { claimRecordUndo, splitClaims } from './claimRecordUndo.ts'
import { checkRoom } from './keptPayload.ts'
import { consumerOf, namedOnly, isUndone } from './namedOnly.ts'
import { parkDead } from './parkDead.ts'
import { isObject } from '../../base/kindOf.ts'
import { wrongOption } from '../../base/options.ts'

/** A consumer whose dead records can be undone. */
export function undoableRecords(
  records: RecordsToUndo,
  handle: Handle,
): ReturnType<UndoEngine['recordsOf']> {
  checkRecords(records)
  const { consumer } = records
  const own = [consumer.name, ...consumer.formerNames]
  const names = new Set([...own, ...own.map((name) => name + UNDO_SUFFIX)])
  return { consumer: { ...consumer, names, undoes: true }, strategy: strategyOf(records, handle) }
}

function strategyOf(records: RecordsToUndo, handle: Handle): ClaimStrategy {
  const ordinary = tokenStrategy(handle, () => undoableAfter)
  return splitClaims(
    ({ message }) => message.envelope.carried.undo !== undefined,
    (works, invocation, ahead) => claimRecordUndo(records, works, invocation, ahead),
    {
      ...ordinary,
      claim: async (works, invocation, ahead) => {
        const claims = await ordinary.claim(works, invocation, ahead)
        return works.flatMap((work, index) => {
          const claim = claims[index]
          return claim === undefined ? [] : undoable(claim, records, work, invocation)
        })
      },
    },
  )
}

function undoable(
  claim: Claim,
  records: RecordsToUndo,
  work: IncomingRecord,
  invocation: Invocation,
): Claim {
  if (claim.kind !== 'claimed' && claim.kind !== 'deadLettering') return claim
  const { calls, finishDeadLettering } = claim.hold
  const traces = (name: string): boolean => isUndone(records.undo, name)
  const hold: Hold = {
    ...claim.hold,
    calls: { ...calls, traces },
    finishDeadLettering: async () => {
      const parked = await parkDead({ records, hold: claim.hold, work, invocation })
      return parked ?? finishDeadLettering()
    },
  }
  if (claim.kind === 'deadLettering') return { ...claim, hold }
  const run = (payload: unknown, opened: OpenContext): unknown => {
    checkRoom(opened.ctx.envelope.body)
    return claim.run(payload, { ...opened, ctx: namedOnly(consumerOf(records), opened) })
  }
  return { ...claim, hold, run }
}

/** @throws ConfigError for a handler that is none, or one that would have its marks in another database than the effects */
function checkRecords({ consumer: { name, sql }, undo }: RecordsToUndo): void {
  const who = `recordHandler('${name}')`
  if (!isObject(undo.handlers)) {
    throw wrongOption(who, 'undo', 'compensate(schema, { name: handler })', undo.handlers)
  }
  for (const [effect, handler] of Object.entries(undo.handlers)) {
    if (typeof handler === 'function' || handler === 'keep') continue
    throw wrongOption(who, `undo.${effect}`, "a function (payload, ctx, made), or 'keep'", handler)
  }
  if (undo.sql === undefined || undo.sql === sql) return
  throw wrongOption(who, 'undo.sql', 'the option sql of the consumer, the same object', undo.sql)
}
