import type { Upsert } from '../../../../src/library/protocol/claim/itemStore.ts'
import {
  endedRequestKey,
  type RunEnding,
} from '../../../../src/library/protocol/claim/stage/endRun.ts'
import { recordKey } from '../../../../src/library/protocol/claim/stage/stageRecord.ts'
import { digestOf } from '../../../../src/library/protocol/claim/stage/version.ts'
import type { StoreKey } from '../../../../src/library/protocol/store/store.ts'
import type { Op } from './op.ts'
import type { Pc } from './pc.ts'
import type { Protocol } from './protocol.ts'
import type { Scenario } from './scenario.ts'
import type { State } from './state.ts'

export interface Scene {
  readonly scenario: Scenario
  readonly protocol: Protocol
  readonly state: State
}

export const KEY: StoreKey = recordKey('f', 'k')

const RETENTION = 1_000_000

export const acknowledged: Extract<Pc, { at: 'ended' }> = {
  at: 'ended',
  how: 'acknowledge',
  as: undefined,
}
export const stays: Pc = { at: 'ended', how: 'stay', as: undefined }

export function closingAt(now: number): Parameters<Protocol['settleStage']>[2] {
  return { now, retention: RETENTION }
}

/** Receipts of requests that are not in the scenario are left out: nothing reads them. */
export function endingOps(
  { protocol, scenario }: Scene,
  { as, remember, deadRun, close, finish, report }: RunEnding,
): Op[] {
  const asked = scenario.requests.map(({ uid }) => endedRequestKey(KEY, digestOf(uid)).sk)
  const ours = remember.filter(({ create }) => asked.includes(create.sk))
  const before = ours.flatMap((one) => upsert('remembers', one))
  if (deadRun !== undefined) before.push(...upsert('parks', deadRun))
  if (close !== undefined) before.push({ op: 'update', label: 'closes it', update: close })
  const label = `ends it as ${as}`
  if (report !== undefined && protocol.recipe.report !== 'with the end') {
    const end: Op = { op: 'update', label, update: finish }
    const told: Op = { op: 'report', label: 'reports it', report }
    return [...before, ...(protocol.recipe.report === 'after it' ? [end, told] : [told, end])]
  }
  const last: Op = { op: 'update', label, update: finish, report }
  const isSafe = protocol.recipe.ending === 'remember, then reset'
  return isSafe ? [...before, last] : [last, ...before]
}

export function upsert(label: string, { create, update }: Upsert): Op[] {
  return [
    { op: 'create', label, items: [create] },
    { op: 'update', label: `${label} again`, update },
  ]
}
