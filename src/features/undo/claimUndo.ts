import type { Claim } from '../../deliver/claimStrategy.ts'
import type { IncomingRecord } from '../../deliver/incomingRecord.ts'
import type { Invocation } from '../../deliver/invocation.ts'
import { tokenStrategy } from '../../deliver/tokenStrategy.ts'
import { type ItemStore, itemStore } from '../../claim/itemStore.ts'
import { toError } from '../../base/errors.ts'
import { deadRunKey } from '../../claim/stage/deadRun.ts'
import { recordKey } from '../../claim/stage/stageRecord.ts'
import type { StageToUndo } from '../../consumer/undo.ts'
import type { LogFields } from '../../base/logger.ts'
import type { RunReference } from '../../record/envelope/envelope.ts'
import { type ParkedUndo, readParkedUndo } from './parkDead.ts'
import { handOn, undoStage } from './undoStage.ts'
import { undoId } from './decideEnding.ts'

/**
 * Claims messages that ask for an undo. Each is a record of its own, with a token of its own. It runs only if the ended run is to
 * be undone: anyone who may send to the queue can forge such a message. After everything is undone, a record may still have to send
 * its messages, and to end: its own token says so.
 */
export async function claimUndo(
  stage: StageToUndo,
  works: readonly IncomingRecord[],
  invocation: Invocation,
  ahead: boolean,
): Promise<readonly Claim[]> {
  const store = itemStore(stage.store)
  const asked = await Promise.all(works.map((work) => readAsked(store, work, stage)))
  const wanted = works.filter((_, index) => asked[index]?.kind === 'undo')
  const strategy = tokenStrategy(
    () => {},
    (work) => () => ({ undoes: undoneBy(work) }),
  )
  const claims = [...(await strategy.claim(wanted, invocation, ahead))]
  const all = asked.map(async (one, index): Promise<Claim> => {
    const about = logFields(works[index])
    if (one.kind !== 'undo') return { ...one, about }
    const claim = claims.shift()
    if (claim === undefined) throw new Error('fewer claims than records')
    const { parked, run } = one
    if (isDone(claim)) return handOnAgain(claim, { parked, run, store, invocation })
    if (claim.kind !== 'claimed' && claim.kind !== 'deadLettering') return { ...claim, about }
    const hold = { ...claim.hold, fields: { ...claim.hold.fields, ...about } }
    if (claim.kind === 'deadLettering') return { ...claim, hold }
    const sentAt = parked.plan.sentAt
    return {
      ...claim,
      hold,
      sentAt,
      run: (_payload, opened) => undoStage({ stage, parked, run, opened, store, invocation }),
    }
  })
  return Promise.all(all)
}

/** For operators, who see it where the token is listed: what is undone. */
function undoneBy({ message }: IncomingRecord): string {
  const { name = '', key = '', id = '', from = '' } = message.envelope.carried.flow ?? {}
  return `${name}/${key} ${id}, stage ${from}`
}

/** As on the lines of the stage itself, and the request that is undone. */
function logFields(work: IncomingRecord | undefined): LogFields {
  const { name: flow, key, from: stage, id: undoes } = work?.message.envelope.carried.flow ?? {}
  return { flow, key, stage, undoes }
}

function isDone(claim: Claim): boolean {
  return claim.kind === 'over' && claim.as === 'duplicate'
}

/**
 * The undo of this stage has ended, and not everything is undone: its message to the stage before was lost, or an operator has
 * resolved it. Without this, the effects of the stages before would stay.
 */
async function handOnAgain(claim: Claim, undo: Parameters<typeof handOn>[0]): Promise<Claim> {
  try {
    if (undo.parked.undo !== 'undone') await handOn(undo)
    return claim
  } catch (error) {
    return { kind: 'failed', error: toError(error) }
  }
}

type Asked =
  | { readonly kind: 'undo'; readonly parked: ParkedUndo; readonly run: RunReference }
  | Exclude<Claim, { kind: 'claimed' | 'silent' | 'deadLettering' }>

async function readAsked(
  store: ItemStore,
  { message }: IncomingRecord,
  stage: StageToUndo,
): Promise<Asked> {
  const { flow: run } = message.envelope.carried
  if (run === undefined || run.name !== stage.flow) return { kind: 'over', as: 'stale' }
  const read = await store.read(deadRunKey(recordKey(run.name, run.key), run.id))
  if (read.kind === 'failed') return { kind: 'failed', error: read.error }
  const parked = readParkedUndo(read.item)
  if (
    parked === undefined ||
    // @protects a forged message undoes nothing
    !isMeant(parked, run, message.uniqueRequestId)
  ) {
    return { kind: 'over', as: 'stale' }
  }
  // @protects an undo does not begin before the last attempt has ended
  // @without its else
  return parked.notBefore > stage.now()
    ? { kind: 'early', until: parked.notBefore }
    : { kind: 'undo', parked, run }
}

/** Under another id the same undo would run a second time. */
function isMeant({ epoch }: ParkedUndo, run: RunReference, uniqueRequestId: string): boolean {
  return epoch === run.epoch && uniqueRequestId === undoId(run.id, run.epoch, run.from)
}
