import type { Claim, ClaimedRecord, ClaimStrategy } from '../../deliver/claimStrategy.ts'
import type { IncomingRecord } from '../../deliver/incomingRecord.ts'
import type { Invocation } from '../../deliver/invocation.ts'
import { tokenStrategy } from '../../deliver/tokenStrategy.ts'
import type { RecordsToUndo } from '../../consumer/undo.ts'
import type { Hold } from '../../claim/hold.ts'
import { type ItemStore, itemStore } from '../../claim/itemStore.ts'
import { readToken, type Token, tokenKey } from '../../claim/token/token.ts'
import {
  UNDO_SUFFIX,
  type KeptRecord,
  keptRecordKey,
  markRecordUndone,
  readKeptRecord,
  recordUndoId,
} from '../../claim/token/deadRecord.ts'
import { undoRecord } from './undoRecord.ts'

/**
 * Claims messages that ask for the undo of a dead record. Each is a record of its own, with a token of its own. It runs only if the
 * token of the dead record says that it is being undone: anyone who may send to the queue can forge such a message.
 */
export async function claimRecordUndo(
  records: RecordsToUndo,
  works: readonly IncomingRecord[],
  invocation: Invocation,
  ahead: boolean,
): Promise<readonly Claim[]> {
  const store = itemStore(invocation.consumer.store)
  const asked = await Promise.all(works.map((work) => readAsked(store, work, invocation)))
  const wanted = works.filter((_, index) => asked[index]?.kind === 'undo')
  const strategy = tokenStrategy(
    () => {},
    (work) => () => ({ undoes: undoneBy(work) }),
  )
  const claims = [...(await strategy.claim(wanted, invocation, ahead))]
  const all = asked.map(async (one): Promise<Claim> => {
    if (one.kind !== 'undo') return one
    const claim = claims.shift()
    if (claim === undefined) throw new Error('fewer claims than records')
    if (claim.kind === 'over' && claim.as === 'duplicate')
      return closeAgain(claim, one.dead, store, invocation)
    return claim.kind === 'claimed' ? toRun(claim, one, { records, store, invocation }) : claim
  })
  return Promise.all(all)
}

/** For operators, who see it where the token of the undo is listed: what is undone. */
function undoneBy({ message }: IncomingRecord): string {
  const { consumer = '', undo = '' } = message.envelope.carried
  return `${consumer.slice(0, -UNDO_SUFFIX.length)}/${undo}`
}

interface Asked {
  readonly kind: 'undo'
  readonly dead: Token
  readonly kept: KeptRecord | undefined
}

type NotAsked = Exclude<Claim, { kind: 'claimed' | 'silent' | 'deadLettering' }>

/** How long a message waits whose record is still being dead-lettered, milliseconds. */
const WAITS_MS = 60_000

async function readAsked(
  store: ItemStore,
  { message }: IncomingRecord,
  { consumer: { clock } }: Invocation,
): Promise<Asked | NotAsked> {
  const { undo, consumer = '' } = message.envelope.carried
  if (undo === undefined) return { kind: 'over', as: 'stale' }
  const { pk } = tokenKey(consumer.slice(0, -UNDO_SUFFIX.length), undo)
  const [token, input] = await Promise.all([
    store.read({ pk, sk: 'token' }),
    store.read(keptRecordKey(pk)),
  ])
  if (token.kind === 'failed') return token
  if (input.kind === 'failed') return input
  const dead = token.item && readToken(token.item)
  if (token.item !== undefined && dead === undefined) return { kind: 'unreadable' }
  if (
    dead === undefined ||
    // @protects a record is undone under one id
    message.uniqueRequestId !== recordUndoId(undo, dead.death)
  )
    return { kind: 'over', as: 'stale' }
  if (dead.status === 'dying') return { kind: 'early', until: clock.now() + WAITS_MS }
  // @protects a record is undone only when that was decided
  if (dead.status !== 'undoing' && dead.status !== 'undone') return { kind: 'over', as: 'stale' }
  const kept = readKeptRecord(input.item)
  return { kind: 'undo', dead, kept: kept?.death === dead.death ? kept : undefined }
}

function toRun(
  claim: ClaimedRecord & Claim,
  { dead, kept }: Asked,
  {
    records,
    store,
    invocation,
  }: {
    readonly records: RecordsToUndo
    readonly store: ItemStore
    readonly invocation: Invocation
  },
): Claim {
  // Its last attempt was killed after it had noted that, and before it settled: only that is left to do.
  const isDone = dead.status === 'undone'
  return {
    ...claim,
    ...(kept && { sentAt: kept.sentAt }),
    hold: closing(claim.hold, dead, store, invocation),
    run: (_payload, opened) =>
      isDone ? undefined : undoRecord({ records, dead, kept, opened, invocation }),
  }
}

/**
 * The dead record is noted as undone before its undo settles: after that nothing would. And not before the messages of the undo are
 * sent, because a copy of it would then be dropped.
 */
function closing(hold: Hold, dead: Token, store: ItemStore, { consumer }: Invocation): Hold {
  return {
    ...hold,
    settle: async (end) => {
      const undone = markRecordUndone(dead, consumer.clock.now(), consumer.retention)
      const outcome = await store.update(undone)
      return outcome.kind === 'failed' ? outcome : hold.settle(end)
    },
  }
}

/** The undo has ended, by its handlers or by an operator, and the dead record is not noted as undone. */
async function closeAgain(
  claim: Claim,
  dead: Token,
  store: ItemStore,
  { consumer }: Invocation,
): Promise<Claim> {
  const undone = markRecordUndone(dead, consumer.clock.now(), consumer.retention)
  const outcome = await store.update(undone)
  return outcome.kind === 'failed' ? { kind: 'failed', error: outcome.error } : claim
}

/** Messages that ask for an undo are records of their own, claimed by `undo`. All others are left to the other strategy. */
export function splitClaims(
  asksForUndo: (work: IncomingRecord) => boolean,
  undo: ClaimStrategy['claim'],
  ordinary: ClaimStrategy,
): ClaimStrategy {
  return {
    ...ordinary,
    claim: async (works, invocation, ahead) => {
      const asking = works.filter(asksForUndo)
      if (asking.length === 0) return ordinary.claim(works, invocation, ahead)
      const others = works.filter((work) => !asksForUndo(work))
      const [undos, claims] = await Promise.all([
        undo(asking, invocation, ahead),
        ordinary.claim(others, invocation, ahead),
      ])
      const all: ReadonlyMap<IncomingRecord, Claim | undefined> = new Map([
        ...asking.map((work, index) => [work, undos[index]] as const),
        ...others.map((work, index) => [work, claims[index]] as const),
      ])
      return works.flatMap((work) => all.get(work) ?? [])
    },
  }
}
