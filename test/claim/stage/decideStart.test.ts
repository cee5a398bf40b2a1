import { describe, expect, it } from 'vitest'
import { decideStart } from '../../../src/library/protocol/claim/stage/decideStage.ts'
import {
  fingerprintOf,
  digestOf,
  versionOf,
} from '../../../src/library/protocol/claim/stage/version.ts'
import type { StartRequest } from '../../../src/library/protocol/claim/stage/stageMessage.ts'
import type { RequestHistory } from '../../../src/library/protocol/claim/stage/requestHistory.ts'
import {
  type Given,
  expectVerdict,
  GIVE_UP,
  idle,
  LIVE,
  NOW,
  request,
  running,
  type Then,
} from './given.ts'
import { deadRunGiven, historyGiven } from './historyGiven.ts'

type Row = readonly [given: string, Given, when: string, Partial<StartRequest>, Then]

const newer: Partial<StartRequest> = { uniqueRequestId: 'r5', sentAt: 6 }
const older: Partial<StartRequest> = { uniqueRequestId: 'r3', sentAt: 4 }
const every: Partial<StartRequest> = { process: 'every' }
const coalesce: Partial<StartRequest> = { ...newer, onConflict: 'coalesce' }
const late: Partial<StartRequest> = { giveUpAt: NOW }
const ended = (letter: string, id = 'r4'): string => digestOf(id) + letter
const last = (letter: string): Given => ({ last: ended(letter) })
/** Of the record's epoch, 3. */
const nothing: RequestHistory = historyGiven()
const dead = (entry: string): RequestHistory =>
  historyGiven({ deadRun: deadRunGiven({ validate: entry }) })

const free: readonly Row[] = [
  ['an older one ended', {}, 'a newer one', newer, { kind: 'start' }],
  ['a dead letter of death 0', {}, 'a newer one', { ...newer, death: 0 }, { kind: 'start' }],
  ['nothing that is remembered', {}, 'the newest', {}, { kind: 'over', as: 'duplicate' }],
  ['a newer one', {}, 'an older one', older, { kind: 'over', as: 'stale' }],
  ['a newer one', {}, 'an older one to be run', { ...older, ...every }, { kind: 'start' }],
  ['nothing that ever started', { newest: undefined }, 'one', {}, { kind: 'start' }],
  [
    'a newer one',
    {},
    'an older one that may not run',
    { ...older, refused: true },
    { kind: 'over', as: 'stale' },
  ],
  [
    'an older one',
    {},
    'what may not run',
    { ...newer, refused: true },
    { kind: 'refuse', because: 'rejected' },
  ],
  [
    'an older one',
    {},
    'one too late',
    { ...newer, ...late },
    { kind: 'refuse', because: 'too old' },
  ],
  ['its end', last('c'), 'a copy', {}, { kind: 'over', as: 'duplicate' }],
  ['its reset', last('r'), 'a copy', {}, { kind: 'over', as: 'reset' }],
  ['its death', last('d'), 'a copy', {}, { kind: 'over', as: 'alreadyDeadLettered' }],
  ['its end', last('c'), 'a late copy', late, { kind: 'over', as: 'duplicate' }],
  ['its death', last('d'), 'a late copy', late, { kind: 'lookUp', epoch: 3 }],
  [
    'its death',
    last('d'),
    'its last millisecond',
    { giveUpAt: LIVE },
    { kind: 'over', as: 'alreadyDeadLettered' },
  ],
  [
    'its death, no state stored',
    last('d'),
    'a late copy',
    { ...late, history: nothing },
    { kind: 'over', as: 'alreadyDeadLettered' },
  ],
  [
    'its death by another stage',
    last('d'),
    'a late copy',
    { ...late, history: dead('settled on') },
    { kind: 'over', as: 'alreadyDeadLettered' },
  ],
  [
    'given up',
    last('d'),
    'a late copy',
    { ...late, history: dead('dead 3 abandoned') },
    { kind: 'abandonedMessage', death: 3 },
  ],
  [
    'its death',
    last('d'),
    'a late copy',
    { ...late, history: dead('dead 3 terminal') },
    { kind: 'over', as: 'alreadyDeadLettered' },
  ],
  ['refused before', { dropped: digestOf('r5') }, 'a copy', newer, { kind: 'over', as: 'dropped' }],
  [
    'refused before',
    { dropped: digestOf('r5') },
    'a copy that may not run',
    { ...newer, refused: true },
    { kind: 'over', as: 'dropped' },
  ],
  ['another was refused', { dropped: digestOf('r6') }, 'one', newer, { kind: 'start' }],
]

const remembered: readonly Row[] = [
  ['among the ended', { ended: ended('c') }, 'a copy', every, { kind: 'over', as: 'duplicate' }],
  ['among the reset', { ended: ended('r') }, 'a copy', every, { kind: 'over', as: 'reset' }],
  [
    'ended twice',
    { ended: ended('d') + ended('c', 'r1') + ended('c') },
    'a copy',
    every,
    { kind: 'over', as: 'duplicate' },
  ],
  [
    'among the ended',
    { ended: ended('c') },
    'a copy of a newest',
    {},
    { kind: 'over', as: 'duplicate' },
  ],
  ['not forgotten', { forgotten: versionOf(5, 'r3') }, 'one', every, { kind: 'start' }],
  [
    'perhaps forgotten',
    { forgotten: versionOf(5, 'r4') },
    'one',
    every,
    { kind: 'lookUp', epoch: 3 },
  ],
  [
    'perhaps forgotten',
    { forgotten: versionOf(9, 'r1') },
    'one',
    every,
    { kind: 'lookUp', epoch: 3 },
  ],
  [
    'forgotten, without a receipt',
    { forgotten: versionOf(9, 'r1') },
    'one',
    { ...every, history: nothing },
    { kind: 'start' },
  ],
  [
    'forgotten, with a receipt',
    { forgotten: versionOf(9, 'r1') },
    'a copy',
    { ...every, history: historyGiven({ end: 'reset' }) },
    { kind: 'over', as: 'reset' },
  ],
  [
    'forgotten, looked up at another epoch',
    { forgotten: versionOf(9, 'r1') },
    'a copy',
    { ...every, history: historyGiven({ end: 'reset', epoch: 2 }) },
    { kind: 'lookUp', epoch: 3 },
  ],
]

const barred: readonly Row[] = [
  [
    'a newer one waits',
    { waiting: versionOf(7, 'r6') },
    'one',
    coalesce,
    { kind: 'over', as: 'coalesced' },
  ],
  ['it waits itself', { waiting: versionOf(6, 'r5') }, 'it', coalesce, { kind: 'start' }],
  ['an older one waits', { waiting: versionOf(6, 'r1') }, 'one', coalesce, { kind: 'start' }],
  ['none waits', {}, 'one', coalesce, { kind: 'start' }],
  [
    'a newer one waits',
    { waiting: versionOf(7, 'r6') },
    'one that defers',
    newer,
    { kind: 'start' },
  ],
]

describe.each([
  ['an idle flow', free],
  ['an idle flow that remembers', remembered],
  ['an idle flow for which one waits', barred],
])('%s', (_, rows) => {
  it.each(rows)('given %s, when %3$s comes', (_given, given, _when, when, then) => {
    const record = idle({ process: when.process, ...given })
    expectVerdict(decideStart(record, request(when), NOW), then, record)
  })
})

describe('no item yet', () => {
  it.each<[string, Partial<StartRequest>, Then]>([
    ['a first message', {}, { kind: 'start' }],
    ['a dead letter of death 0', { death: 0 }, { kind: 'start' }],
    ['what may not run', { refused: true }, { kind: 'refuse', because: 'rejected' }],
    ['what comes too late', late, { kind: 'refuse', because: 'too old' }],
    ['its last millisecond', { giveUpAt: LIVE }, { kind: 'start' }],
    ['a dead letter', { death: 1 }, { kind: 'lookUp', epoch: 0 }],
  ])('when %s comes', (_, when, then) => {
    expectVerdict(decideStart(undefined, request(when), NOW), then, undefined)
  })
})

const over: Given = { giveUpAt: NOW }
const drop: Partial<StartRequest> = { ...newer, onConflict: 'drop' }
const supersede: Partial<StartRequest> = { ...newer, onConflict: 'supersede' }
const busy: Then = { kind: 'busy', until: GIVE_UP }

const held: readonly Row[] = [
  ['r4', { 'stage:validate': 'settled on' }, 'itself', {}, { kind: 'over', as: 'duplicate' }],
  ['r4', {}, 'its dead letter', { death: 3 }, { kind: 'begin' }],
  ['r4', {}, 'one that defers', newer, busy],
  ['r4 without time', over, 'one that defers', newer, { kind: 'abandonRun' }],
  ['r4', {}, 'one to be dropped', drop, { kind: 'drop' }],
  ['r4 without time', over, 'one to be dropped', drop, { kind: 'abandonRun' }],
  ['r4', {}, 'a newer one', supersede, { kind: 'start' }],
  ['r4 without time', over, 'a newer one', supersede, { kind: 'start' }],
  ['r4', {}, 'an older one', { ...supersede, ...older }, { kind: 'over', as: 'stale' }],
  ['r4', {}, 'one that waits', coalesce, { kind: 'wait' }],
  ['r4 without time', over, 'one that waits', coalesce, { kind: 'abandonRun' }],
  ['an older one waits', { waiting: versionOf(5, 'r9') }, 'one', coalesce, { kind: 'wait' }],
  ['it waits', { waiting: versionOf(6, 'r5') }, 'it', coalesce, busy],
  [
    'a newer one waits',
    { waiting: versionOf(7, 'r1') },
    'one',
    coalesce,
    { kind: 'over', as: 'coalesced' },
  ],
  [
    'r4',
    {},
    'what may not run',
    { ...newer, refused: true },
    { kind: 'refuse', because: 'rejected' },
  ],
  ['r4', {}, 'one too late', { ...newer, ...late }, { kind: 'refuse', because: 'too old' }],
  ['r5 dropped', { dropped: digestOf('r5') }, 'a copy', drop, { kind: 'over', as: 'dropped' }],
]

const other: Partial<StartRequest> = { by: 'b.q2' }
const refused: Then = { kind: 'refuse', because: 'name' }
const named = { by: 'a.q1' }
const ours = { ...named, 'stage:validate': `open 1 a ${NOW} 0` }
const ofRun: readonly Row[] = [
  ['a claim that is over', ours, 'its request', other, refused],
  ['its end', { ...named, 'stage:validate': 'settled on' }, 'its request', other, refused],
  ['its claim', ours, 'what may not run', { ...other, refused: true }, refused],
  ['its claim', ours, 'a copy', { ...other, resendNumber: 1 }, { kind: 'takeOver' }],
  ['its claim', ours, 'a dead letter of death 0', { ...other, death: 0 }, refused],
  [
    'its death',
    { ...named, 'stage:validate': 'dead 3 terminal' },
    'it',
    { ...other, death: 3 },
    { kind: 'revive' },
  ],
  ['its claim', ours, 'the same function', { by: 'a.q2' }, { kind: 'takeOver' }],
  ['its claim', ours, 'the same queue', { by: 'b.q1' }, { kind: 'takeOver' }],
  ['a claim that says nothing', { ...ours, by: undefined }, 'it', other, { kind: 'takeOver' }],
  ['another run', ours, 'a newer one', { ...newer, ...other }, { kind: 'busy', until: NOW }],
  ['another run', ours, 'one to be dropped', { ...newer, ...other, onConflict: 'drop' }, refused],
  ['another run', ours, 'an older one', { ...older, ...other }, refused],
]

describe('a run that another function has begun from another queue is not taken over, and drops no request', () => {
  it.each(ofRun)('given %s, when %3$s comes', (_given, given, _when, when, then) => {
    const record = running(given)
    expectVerdict(decideStart(record, request(when), NOW), then, record)
  })

  it('once it is idle, others start', () => {
    const record = idle(named)
    const newest = decideStart(record, request({ ...newer, ...other }), NOW)
    expectVerdict(newest, { kind: 'start' }, record)
    expectVerdict(decideStart(record, request(other), NOW), refused, record)
  })
})

describe('a flow that is held', () => {
  it.each(held)('given %s, when %3$s comes', (_given, given, _when, when, then) => {
    const record = running({ process: when.process, ...given })
    expectVerdict(decideStart(record, request(when), NOW), then, record)
  })

  it('belongs to its own request, however the one before has ended', () => {
    const record = running({ last: ended('d') })
    expect(decideStart(record, request(), NOW).kind).toBe('begin')
  })
})

it.each([
  ['the same payload', 'placed', {}],
  ['another payload', 'cancelled', { otherPayload: true }],
])('a duplicate by the id of its payload says whether it is %s', (_what, body, says) => {
  const record = idle({ ...last('c'), payload: fingerprintOf('placed', true) })
  const verdict = decideStart(record, request({ payload: fingerprintOf(body, true) }), NOW)
  expectVerdict(verdict, { kind: 'over', as: 'duplicate', ...says }, record)
})

it('lets no forged death run a dead first stage with another payload, whose id was computed, too', () => {
  const [own, other] = [fingerprintOf('own', true), fingerprintOf('other', true)]
  const { deadRun } = dead('dead 3 terminal')
  const history = deadRun && historyGiven({ deadRun: { ...deadRun, payload: own } })
  const died = idle(last('d'))
  const redriven = (payload: string): string =>
    decideStart(died, request({ death: 3, history, payload }), NOW).kind
  expect(redriven(own)).toBe('reopen')
  expect(decideStart(died, request({ death: 3, history, payload: other }), NOW)).toEqual({
    kind: 'refuse',
    because: 'conflict',
  })
})
