import {
  isGivenUp,
  readEntry,
  type StageEntry,
} from '../../../library/protocol/claim/stage/stageEntry.ts'
import { STAGE } from '../../../library/protocol/claim/stage/stageRecord.ts'
import { STARTED } from '../../../library/protocol/claim/hold.ts'
import { CALL_PREFIX } from '../../../library/protocol/claim/token/token.ts'
import type { ItemOperation } from '../faults/operation.ts'

/** What an operation on an item of Lineclear's table means: `verb` and `of` make the words. */
export interface Meaning {
  readonly verb: string
  readonly of: string
  readonly effect?: string
  readonly request?: string
}

/** @returns undefined for an item that is not of Lineclear's table */
export function itemMeaning(operation: ItemOperation): Meaning | undefined {
  const [pk, sk] = [operation.key['pk']?.S, operation.key['sk']?.S]
  if (pk === undefined || sk === undefined) return undefined
  const [, kind = '', of = ''] = /^(\w+)#(.*)$/s.exec(pk) ?? []
  if ((kind === 'lock' || kind === 'key') && sk === 'token') return ofToken(operation, kind, of)
  if (kind === 'flow' && sk === 'stage') return ofStageRecord(operation, of)
  const [, pattern, what = '', writes = 'keeps'] =
    BESIDE.find((one) => one[0] === kind && one[1].test(sk)) ?? []
  if (pattern === undefined) return undefined
  const { name = '', id } = pattern.exec(sk)?.groups ?? {}
  const verb = operation.does === 'reads' ? 'looks at' : writes
  return {
    verb: `${verb} ${what.replace('NAME', name)}`,
    of,
    ...(sk.startsWith('answer#') && { effect: name }),
    ...(id !== undefined && { request: sk.startsWith('dead#') ? id : unescaped(id) }),
    ...((kind === 'lock' || kind === 'key') && { request: idIn(of) }),
  }
}

/** See idInKey. */
function unescaped(id: string): string {
  return id.replaceAll('%23', '#').replaceAll('%25', '%')
}

/** Items beside a token or a stage record: the groups `name` and `id` of the sort key go into the words and the request. */
const BESIDE: readonly (readonly [kind: string, sk: RegExp, what: string, writes?: string])[] = [
  ['key', /^result#/, 'the result of'],
  ['flow', /^answer#(?<id>[^#]*)#[^:]*:(?<name>.*)$/s, 'the result of NAME in'],
  ['flow', /^await#(?<name>[^#]*)#(?<id>[^#]*)$/, 'step NAME of', 'writes'],
  ['flow', /^await#(?<name>[^#]*)#(?<id>[^#]*)#/, 'an answer for step NAME of'],
  ['flow', /^dead#(?<id>.*)$/s, 'what a dead request has done in'],
  ['flow', /^done#/, 'an ended request of', 'remembers'],
  ['await', /^waiters$/, 'who waits for', 'notes'],
  ['later', /^later$/, 'message', 'delays'],
  ['once', /^once$/, 'event', 'writes'],
]

type Rule = readonly [verb: string, applies: (change: Change) => boolean]
type Change = ReturnType<typeof changeIn>

/** In this order: see claimWrites.ts, markWrites.ts, retryWrites.ts, settleWrites.ts and endKey.ts in claim/token. */
const OF_TOKEN: readonly Rule[] = [
  ['claims', ({ created }) => created],
  ['starts the dead letter of', ({ to }) => to('status') === 'dying'],
  [
    'ends, and onFailure is due:',
    ({ to }) => to('status') === 'ending' && to('attemptId') === undefined,
  ],
  ['gives up onFailure of', ({ to }) => to('status') === 'error' && to('untold') !== undefined],
  ['records the death of', ({ to }) => to('status') === 'error'],
  ['parks, outcome unknown:', ({ to }) => to('status') === 'unknown'],
  ['completes', ({ removes }) => removes('status')],
  ['reopens', ({ to, removes }) => to('attemptId') !== undefined && removes('reason')],
  ['claims again', ({ to }) => to('attemptId') !== undefined && to('status') === 'inProgress'],
  [
    'claims the next attempt of',
    ({ to, was }) => to('attemptId') !== undefined && Number(was('leaseUntil') ?? 0) === 0,
  ],
  ['takes over', ({ to }) => to('attemptId') !== undefined],
  ['schedules a retry of', ({ to }) => to('resendNumber') !== undefined],
  ['confirms the retry of', ({ to }) => to('confirmed') !== undefined],
  ['lets wait', ({ to }) => to('leaseUntil') === '0' && to('notBefore') !== undefined],
  ['releases', ({ to }) => to('leaseUntil') === '0'],
  ['extends the lease of', ({ to }) => to('leaseUntil') !== undefined],
  ['shows a sign of life of', ({ to }) => to('aliveUntil') !== undefined],
]

/** In this order: see claim/stage/claimWrite.ts, conflictWrites.ts and endRun.ts. */
const OF_RECORD: readonly Rule[] = [
  ['starts', ({ created }) => created],
  ['reopens', ({ to }) => to('uniquerequestid') !== undefined && to('reopened') !== undefined],
  ['starts', ({ to }) => to('uniquerequestid') !== undefined],
  ['ends the run of', ({ removes }) => removes('uniquerequestid')],
  ['drops a request for', ({ to }) => to('dropped') !== undefined],
  ['notes a newer request for', ({ to }) => to('waiting') !== undefined],
]

function changeIn({ does, set, removed, equal }: ItemOperation) {
  return {
    created: does === 'creates' || does === 'puts',
    /** The text or number that an attribute is set to. */
    to: (name: string) => textOf(set.get(name)),
    removes: (name: string) => removed.has(name),
    /** What an attribute has to be. */
    was: (name: string) => textOf(equal.get(name)),
  }
}

function textOf(value: { S?: string; N?: string; BOOL?: boolean } | undefined): string | undefined {
  return value && (value.S ?? value.N ?? (value.BOOL === undefined ? '' : String(value.BOOL)))
}

function ofToken(operation: ItemOperation, kind: string, of: string): Meaning {
  const request = idIn(of)
  if (operation.does === 'reads') return { verb: 'looks at', of, request }
  const [effect] = operation.added.get('applied')?.SS ?? []
  if (effect !== undefined) return { verb: `effect ${effect} of`, of, effect, request }
  const call = callIn(operation)
  if (call !== undefined) return { ...call, of, request }
  const verb = verbOf(operation, OF_TOKEN)
  return { verb: kind === 'key' && verb === 'records the death of' ? 'parks' : verb, of, request }
}

/** A token that is completed keeps the names of its calls, with empty texts. */
function callIn(operation: ItemOperation): { verb: string; effect: string } | undefined {
  if (operation.does !== 'updates' || operation.removed.has('status')) return undefined
  for (const [name, value] of operation.set) {
    if (!name.startsWith(CALL_PREFIX)) continue
    const effect = name.slice(CALL_PREFIX.length)
    const begins = value.S === STARTED
    return {
      verb: begins ? `begins call ${effect} of` : `keeps the result of ${effect} of`,
      effect,
    }
  }
  const [only = '', ...others] = operation.removed
  if (operation.set.size > 0 || others.length > 0 || !only.startsWith(CALL_PREFIX)) return undefined
  const effect = only.slice(CALL_PREFIX.length)
  return { verb: `forgets call ${effect} of`, effect }
}

/** See claim/stage/marks.ts for how the names of marks are written. */
const MARK = /^(?<stage>[^:?!]*)(?<kind>[:?!])(?:\d+:)?(?<name>.*)$/s
const OF_MARK: Readonly<Record<string, string>> = {
  ':': 'effect NAME in stage STAGE of',
  '?': 'begins call NAME in stage STAGE of',
  '!': 'forgets call NAME in stage STAGE of',
}

function ofStageRecord(operation: ItemOperation, of: string): Meaning {
  const id = operation.set.get('uniquerequestid')?.S ?? operation.equal.get('uniquerequestid')?.S
  const request = id === undefined ? {} : { request: id }
  if (operation.does === 'reads') return { verb: 'looks at', of }
  const [mark = ''] = operation.added.get('applied')?.SS ?? []
  const { stage = '', kind = '', name = '' } = MARK.exec(mark)?.groups ?? {}
  const marked = OF_MARK[kind]
  if (marked !== undefined) {
    return {
      verb: marked.replace('NAME', name).replace('STAGE', stage),
      of,
      effect: name,
      ...request,
    }
  }
  const verb = verbOf(operation, OF_RECORD)
  if (verb !== 'updates') return { verb, of, ...request }
  return { verb: stageVerb(operation) ?? verb, of, ...request }
}

function stageVerb({ set }: ItemOperation): string | undefined {
  for (const [name, { S = '' }] of set) {
    const entry = name.startsWith(STAGE) ? readEntry(S) : undefined
    if (entry !== undefined) return `${entryVerb(entry)} stage ${name.slice(STAGE.length)} of`
  }
  return undefined
}

function entryVerb(entry: StageEntry): string {
  switch (entry.status) {
    case 'open':
      return entry.attempt === 1 ? 'claims' : 'claims the next attempt of'
    case 'retry':
      if (entry.sent) return 'confirms the retry of'
      return entry.notBefore === 0 ? 'releases' : 'schedules a retry of'
    case 'settled':
      return 'completes'
    case 'dying':
      return 'starts the dead letter of'
    case 'dead':
      return isGivenUp(entry) ? 'gives up' : 'records the death of'
  }
}

function verbOf(operation: ItemOperation, rules: readonly Rule[]): string {
  const change = changeIn(operation)
  return rules.find(([, applies]) => applies(change))?.[0] ?? 'updates'
}

/** `CONSUMER/ID`, `NAME/KEY` or `NAME@TENANT/KEY`: the names contain no slash. */
function idIn(of: string): string {
  return of.slice(of.indexOf('/') + 1)
}
