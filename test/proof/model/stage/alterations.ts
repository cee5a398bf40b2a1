import type { RunEnding } from '../../../../src/library/protocol/claim/stage/endRun.ts'
import type { StageEnding } from '../../../../src/library/protocol/claim/stage/endAttempt.ts'
import type { StageEntry } from '../../../../src/library/protocol/claim/stage/stageEntry.ts'
import type { StageRecord } from '../../../../src/library/protocol/claim/stage/stageRecord.ts'
import type { StageVerdict } from '../../../../src/library/protocol/claim/stage/verdict.ts'
import type { Update } from '../../../../src/library/protocol/store/store.ts'
import type { shipped } from './protocol.ts'
import { both, leaving, type Removal } from './removals.ts'
import type { Scenario } from './scenario.ts'

export const STAGES: RegExp = /^stage:/
export const ENDS: RegExp = /^ends/
export const ONE: Scenario['stages'] = { A: [{ effect: 'a' }] }

export type DecideStart = typeof shipped.decideStart
export type DecideStage = typeof shipped.decideStage

export function starting(change: (decide: DecideStart) => DecideStart): Removal {
  return (protocol) => ({ ...protocol, decideStart: change(protocol.decideStart) })
}

export function staging(change: (decide: DecideStage) => DecideStage): Removal {
  return (protocol) => ({ ...protocol, decideStage: change(protocol.decideStage) })
}

/** Both decisions see another request. */
export function asking(
  change: Partial<Parameters<DecideStage>[1] & Parameters<DecideStart>[1]>,
): Removal {
  return both(
    starting((decide) => (record, request, now) => decide(record, { ...request, ...change }, now)),
    staging((decide) => (record, request, now) => decide(record, { ...request, ...change }, now)),
  )
}

/** Both decisions see another record. */
export function seeing(change: (record: StageRecord) => StageRecord): Removal {
  return both(
    starting((decide) => (record, request, now) => decide(record && change(record), request, now)),
    staging((decide) => (record, request, now) => decide(record && change(record), request, now)),
  )
}

export function ending(change: (ending: RunEnding) => RunEnding): Removal {
  const changed = (leaving: StageEnding): StageEnding =>
    leaving.kind === 'end' ? { kind: 'end', ending: change(leaving.ending) } : leaving
  return (protocol) => ({
    ...protocol,
    settleStage: (...given) => changed(protocol.settleStage(...given)),
    finishDeadLettering: (...given) => changed(protocol.finishDeadLettering(...given)),
    decideAbandon: (...given) => {
      const giving = protocol.decideAbandon(...given)
      return giving.kind === 'end' ? { kind: 'end', ending: change(giving.ending) } : giving
    },
    resetFromOutside: (...given) => {
      const reset = protocol.resetFromOutside(...given)
      return reset && change(reset)
    },
  })
}

/** Only its own stage is asked whether the run is over. */
export const NO_JOIN: Removal = (protocol) => ({
  ...protocol,
  settleStage: (held, settled, closing) => {
    const done: StageEntry = { status: 'settled', ends: false, sentTo: [] }
    const others = [...held.run.stages.keys()].map((name): [string, StageEntry] => [name, done])
    const stages = new Map<string, StageEntry>([...others, [held.stage, held.entry]])
    return protocol.settleStage({ ...held, run: { ...held.run, stages } }, settled, closing)
  },
})

export const NAME_ONLY: Removal = (protocol) => ({
  ...protocol,
  isApplied: (held, name) => held.run.marks.has(name),
  addEffect: (held, name) => {
    const update = protocol.addEffect(held, name)
    const where = update.where.map((one) => ('lacks' in one ? { ...one, lacks: name } : one))
    return { ...update, where, addTo: { field: 'applied', member: name } }
  },
})

/** As in the first design: only completed requests count. */
export const NEWEST_COMPLETED: Removal = both(
  both(leaving(/^starts/, /^newest$/), leaving(ENDS, /^last$/)),
  both(
    (protocol) => ({
      ...protocol,
      claimWrite: (verdict, request, key) => {
        const write = protocol.claimWrite(verdict, request, key)
        if (write.kind === 'update') return write
        const { newest: _, ...item } = write.item
        return { kind: 'create', item: { ...key, ...item } }
      },
    }),
    (protocol) => ({
      ...protocol,
      settleStage: (held, settled, closing) => {
        const leave = protocol.settleStage(held, settled, closing)
        if (leave.kind === 'leave') return leave
        const newest = `00000000000000${held.run.uniqueRequestId === 'X' ? 1 : 2}#${held.run.uniqueRequestId}`
        const { finish } = leave.ending
        return {
          kind: 'end',
          ending: { ...leave.ending, finish: { ...finish, set: { ...finish.set, newest } } },
        }
      },
    }),
  ),
)

/** A newest-flow that remembers as an every-flow does, and treats what has left the ring as stale. */
export const RING_AND_WATERMARK: Removal = both(
  starting((decide) => (record, request, now) => {
    const verdict = decide(
      record && { ...record, process: 'every' },
      { ...request, process: 'every' },
      now,
    )
    return verdict.kind === 'lookUp' ? { kind: 'over', as: 'stale' } : verdict
  }),
  (protocol) => ({
    ...protocol,
    settleStage: (held, settled, closing) =>
      protocol.settleStage(
        { ...held, record: { ...held.record, process: 'every' } },
        settled,
        closing,
      ),
  }),
)

export function withoutCondition(update: Update): Update {
  return { ...update, where: [] }
}

export function notMine(verdict: ReturnType<DecideStart>): ReturnType<DecideStart> {
  return verdict.kind === 'mine' ? { kind: 'held', until: 0 } : verdict
}

export function without(set: Update['set'], ...fields: string[]): NonNullable<Update['set']> {
  return Object.fromEntries(Object.entries(set ?? {}).filter(([name]) => !fields.includes(name)))
}

/** Decides as if the other lease had ended. */
export function impatient<D extends (...given: never[]) => StageVerdict>(decide: D): D {
  return waiving(decide, 'held')
}

/** Decides as if the retry were due. */
export function hasty<D extends (...given: never[]) => StageVerdict>(decide: D): D {
  return waiving(decide, 'early')
}

function waiving<D extends (...given: never[]) => StageVerdict>(
  decide: D,
  kind: 'held' | 'early',
): D {
  const judge = (record: never, request: never, now: never): StageVerdict => {
    const verdict = decide(record, request, now)
    return verdict.kind === kind ? decide(record, request, verdict.until as never) : verdict
  }
  return judge as unknown as D
}

/** Both decisions come to another verdict. */
export function judging(change: (verdict: StageVerdict) => StageVerdict): Removal {
  return both(
    starting((decide) => (record, request, now) => change(decide(record, request, now))),
    staging((decide) => (record, request, now) => change(decide(record, request, now))),
  )
}

/** Both decisions see other stages. */
export function seeingStages(change: (entry: StageEntry) => StageEntry): Removal {
  return seeing((record) => withStages(record, change))
}

export function withStages(
  record: StageRecord,
  change: (entry: StageEntry) => StageEntry,
): StageRecord {
  if (record.run === undefined) return record
  const stages = [...record.run.stages].map(([name, entry]) => [name, change(entry)] as const)
  return { ...record, run: { ...record.run, stages: new Map(stages) } }
}
