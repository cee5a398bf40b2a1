import { describe, it } from 'vitest'
import { decideStage } from '../../../src/library/protocol/claim/stage/decideStage.ts'
import type { StageRequest } from '../../../src/library/protocol/claim/stage/stageMessage.ts'
import { digestOf, versionOf } from '../../../src/library/protocol/claim/stage/version.ts'
import { type Given, expectVerdict, idle, NOW, request, running, type Then } from './given.ts'
import { deadRunGiven, historyGiven } from './historyGiven.ts'

type Row = readonly [given: string, Given, when: string, Partial<StageRequest>, Then]

const stale: Then = { kind: 'over', as: 'stale' }
const lost: Then = { kind: 'refuse', because: 'lost' }
const tooOld: Then = { kind: 'refuse', because: 'too old' }
const every: Partial<StageRequest> = { process: 'every' }
const died: Given = { last: `${digestOf('r4')}d` }
const ended = (letter: string): Given => ({ ended: digestOf('r4') + letter })
const nothing = { history: historyGiven() }
const found = (entry?: string): Partial<StageRequest> => ({
  history: historyGiven({ deadRun: deadRunGiven(entry === undefined ? {} : { validate: entry }) }),
})

describe('within a run', () => {
  it.each<Row>([
    ['r4', {}, 'its message', {}, { kind: 'begin' }],
    ['r4', {}, 'one of an earlier run of it', { epoch: 2 }, stale],
    ['r4', {}, 'one of a later run of it', { epoch: 4 }, stale],
    ['r4', {}, 'one of an earlier run that died', { epoch: 2, death: 2 }, { kind: 'begin' }],
    ['r4, reopened', { reopened: true }, 'what was on its way', { epoch: 2 }, { kind: 'begin' }],
    ['r4', {}, 'a message of r5', { uniqueRequestId: 'r5' }, { kind: 'lookUp', epoch: 3 }],
    [
      'r4',
      {},
      'a dead letter of r5',
      { uniqueRequestId: 'r5', death: 3 },
      { kind: 'lookUp', epoch: 3 },
    ],
  ])('given %s, when %3$s comes', (_given, given, _when, when, then) => {
    const record = running({ process: when.process, ...given })
    expectVerdict(decideStage(record, request(when), NOW), then, record)
  })
})

describe('after the run', () => {
  it.each<Row>([
    ['no trace of it', {}, 'its message', {}, { kind: 'lookUp', epoch: 3 }],
    ['no trace anywhere', {}, 'its message', nothing, lost],
    ['no trace anywhere', {}, 'an old one', { ...nothing, young: false }, tooOld],
    ['a newer one', { newest: versionOf(6, 'r5') }, 'its message', {}, stale],
    ['its end', { last: `${digestOf('r4')}c` }, 'its message', {}, stale],
    ['its end', { last: `${digestOf('r4')}c` }, 'its message, looked up', found(), stale],
    ['its death', died, 'its message', {}, { kind: 'lookUp', epoch: 3 }],
    ['its death, no state stored', died, 'its message', nothing, lost],
    ['its death, elsewhere', died, 'its message', found(), { kind: 'abandonedMessage', death: 3 }],
    [
      'given up',
      died,
      'its message',
      found('dead 3 abandoned'),
      { kind: 'abandonedMessage', death: 3 },
    ],
    [
      'its death',
      died,
      'its copy',
      found('dead 3 terminal'),
      { kind: 'over', as: 'alreadyDeadLettered' },
    ],
    ['its death', died, 'its copy', found('settled on'), { kind: 'over', as: 'duplicate' }],
    ['no trace of it', {}, 'one of every', every, { kind: 'lookUp', epoch: 3 }],
    ['no trace anywhere', {}, 'one of every', { ...every, ...nothing }, lost],
    ['its end', ended('c'), 'one of every', every, stale],
    ['its reset', ended('r'), 'one of every', every, stale],
    ['its death', ended('d'), 'one of every', every, { kind: 'lookUp', epoch: 3 }],
    [
      'its death, stored',
      ended('d'),
      'one of every',
      { ...every, ...found() },
      { kind: 'abandonedMessage', death: 3 },
    ],
    [
      'a receipt of its death',
      {},
      'one of every',
      { ...every, history: historyGiven({ end: 'dead', deadRun: deadRunGiven() }) },
      { kind: 'abandonedMessage', death: 3 },
    ],
    [
      'deadRun, and a receipt of its end',
      {},
      'one of every',
      { ...every, history: historyGiven({ end: 'completed', deadRun: deadRunGiven() }) },
      stale,
    ],
    ['a dead run, and no receipt of its end', {}, 'one of newest', found(), lost],
    ['a dead run, and no receipt of its end', {}, 'one of every', { ...every, ...found() }, lost],
  ])('given %s, when %3$s comes', (_given, given, _when, when, then) => {
    const record = idle({ process: when.process, ...given })
    expectVerdict(decideStage(record, request(when), NOW), then, record)
  })

  it.each<[string, Partial<StageRequest>, Then]>([
    ['its message', {}, { kind: 'lookUp', epoch: 0 }],
    ['its message, of an ended run', { history: historyGiven({ epoch: 0 }) }, lost],
    [
      'its message, looked up',
      { history: historyGiven({ epoch: 0, deadRun: deadRunGiven() }) },
      { kind: 'abandonedMessage', death: 3 },
    ],
    ['its dead letter', { death: 3 }, { kind: 'lookUp', epoch: 0 }],
  ])('without an item, when %s comes', (_, when, then) => {
    expectVerdict(decideStage(undefined, request(when), NOW), then, undefined)
  })
})
