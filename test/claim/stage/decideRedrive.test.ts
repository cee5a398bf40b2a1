import { describe, expect, it } from 'vitest'
import { decideRedrive } from '../../../src/library/protocol/claim/stage/decideEntry.ts'
import type { StageRequest } from '../../../src/library/protocol/claim/stage/stageMessage.ts'
import { digestOf, versionOf } from '../../../src/library/protocol/claim/stage/version.ts'
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

const died: Given = { last: `${digestOf('r4')}d` }
const lookUp: Then = { kind: 'lookUp', epoch: 3 }
const dead: Then = { kind: 'over', as: 'alreadyDeadLettered' }
const deadLetter = (
  entry: string | undefined,
  more: Partial<StageRequest> = {},
  stages: Readonly<Record<string, string>> = {},
): Partial<StageRequest> => {
  const own = entry === undefined ? {} : { validate: entry }
  return {
    death: 3,
    history: historyGiven({ deadRun: deadRunGiven({ ...own, ...stages }) }),
    ...more,
  }
}
const DIED = 'dead 3 terminal'
const after: Partial<StageRequest> = { after: 'price' }

type Row = readonly [given: string, Given, when: string, Partial<StageRequest>, Then]

describe('a redriven dead letter of an idle flow', () => {
  it.each<Row>([
    ['its death', died, 'its dead letter, not looked up', { death: 3 }, lookUp],
    [
      'its death',
      died,
      'looked up at another epoch',
      { death: 3, history: historyGiven({ epoch: 2 }) },
      lookUp,
    ],
    [
      'its death, no state stored',
      died,
      'its dead letter',
      { death: 3, history: historyGiven() },
      { kind: 'refuse', because: 'lost' },
    ],
    [
      'its end',
      { last: `${digestOf('r4')}c` },
      'its dead letter',
      deadLetter(DIED),
      { kind: 'over', as: 'duplicate' },
    ],
    [
      'its reset',
      { last: `${digestOf('r4')}r` },
      'its dead letter',
      deadLetter(DIED),
      { kind: 'over', as: 'reset' },
    ],
    [
      'no trace of it',
      {},
      'its dead letter',
      deadLetter(DIED),
      { kind: 'refuse', because: 'lost' },
    ],
    [
      'no trace of it',
      {},
      'an old dead letter',
      deadLetter(DIED, { young: false }),
      { kind: 'refuse', because: 'too old' },
    ],
    [
      'a newer one',
      { newest: versionOf(6, 'r5'), ...died },
      'its dead letter',
      deadLetter(DIED),
      { kind: 'over', as: 'superseded' },
    ],
    [
      'a newer one, forgotten',
      { newest: versionOf(6, 'r5') },
      'its dead letter of every',
      deadLetter(DIED, {
        process: 'every',
        history: historyGiven({ end: 'dead', deadRun: deadRunGiven({ validate: DIED }) }),
      }),
      { kind: 'reopen' },
    ],
    [
      'an older one',
      { newest: versionOf(4, 'r3'), ...died },
      'its dead letter',
      deadLetter(DIED),
      { kind: 'reopen' },
    ],
    [
      'no version',
      { newest: undefined, ...died },
      'its dead letter',
      deadLetter(DIED),
      { kind: 'reopen' },
    ],
    [
      'a later time of its own',
      { newest: versionOf(6, 'r4'), ...died },
      'its dead letter',
      deadLetter(DIED),
      { kind: 'reopen' },
    ],
    ['its death', died, 'the dead letter of another death', deadLetter('dead 2 terminal'), dead],
    [
      'given up',
      died,
      'an older dead letter',
      deadLetter('dead 4 abandoned'),
      { kind: 'abandonedMessage', death: 4 },
    ],
    ['its death elsewhere', died, 'a stage that had settled', deadLetter('settled on'), dead],
    [
      'its death elsewhere',
      died,
      'a settled stage, of no death',
      deadLetter('settled on', { death: undefined }),
      dead,
    ],
    [
      'its death elsewhere',
      died,
      'a stage that never ran',
      deadLetter(undefined),
      { kind: 'reopen' },
    ],
    [
      'its sender died too',
      died,
      'its dead letter',
      deadLetter(DIED, after, { price: DIED }),
      { kind: 'abandonedMessage', death: 3 },
    ],
    [
      'its sender died too',
      died,
      'its dead letter of a later death',
      deadLetter(undefined, { ...after, death: 5 }, { price: DIED }),
      { kind: 'abandonedMessage', death: 5 },
    ],
    [
      'its sender died too',
      died,
      'its dead letter without a death number',
      deadLetter(undefined, { ...after, death: undefined }, { price: DIED }),
      { kind: 'abandonedMessage', death: 3 },
    ],
    [
      'its sender had settled',
      died,
      'its dead letter',
      deadLetter(DIED, after, { price: 'settled on validate' }),
      { kind: 'reopen' },
    ],
    ['an unknown sender', died, 'its dead letter', deadLetter(DIED, after), { kind: 'reopen' }],
    [
      'its death',
      died,
      'its dead letter that may not run',
      deadLetter(DIED, { refused: true }),
      { kind: 'refuse', because: 'rejected' },
    ],
    [
      'its death',
      died,
      'its dead letter too late',
      deadLetter(DIED, { giveUpAt: NOW }),
      { kind: 'refuse', because: 'too old' },
    ],
    [
      'its death',
      died,
      'its dead letter after what belongs to its run may be gone',
      deadLetter(DIED, {
        history: historyGiven({
          deadRun: { ...deadRunGiven({ validate: DIED }), continuable: NOW },
        }),
      }),
      { kind: 'refuse', because: 'too old' },
    ],
    [
      'its death',
      died,
      'its last millisecond',
      deadLetter(DIED, { giveUpAt: LIVE }),
      { kind: 'reopen' },
    ],
  ])('given %s, when %3$s comes', (_given, given, _when, when, then) => {
    const record = idle({ process: when.process, ...given })
    const asked = request(when)
    const more = then.kind === 'reopen' ? { deadRun: asked.history?.deadRun } : {}
    expectVerdict(decideRedrive(record, asked, NOW), { ...then, ...more }, record)
  })
})

describe('a redriven dead letter', () => {
  const back = deadLetter(DIED, {
    history: historyGiven({ epoch: 3, end: 'dead', deadRun: deadRunGiven({ validate: DIED }) }),
  })
  const other: Given = { uniquerequestid: 'r3', newest: versionOf(4, 'r3'), ...died }

  it('waits while another request has the flow', () => {
    const record = running(other)
    const verdict = decideRedrive(record, request(back), NOW)
    expect(verdict).toEqual({ kind: 'busy', until: GIVE_UP })
  })

  it('abandons a run whose time limit has passed', () => {
    const record = running({ ...other, giveUpAt: NOW })
    expect(decideRedrive(record, request(back), NOW)).toEqual({ kind: 'abandonRun', record })
  })

  it('of a flow whose item is gone starts from the state stored at its death', () => {
    const gone = historyGiven({ epoch: 0, deadRun: deadRunGiven({ validate: DIED }) })
    const verdict = decideRedrive(undefined, request({ death: 3, history: gone }), NOW)
    expect(verdict).toEqual({ kind: 'reopen', record: undefined, deadRun: gone.deadRun })
  })

  it('is looked up when no item is there', () => {
    expect(decideRedrive(undefined, request({ death: 3 }), NOW)).toEqual({
      kind: 'lookUp',
      epoch: 0,
    })
  })
})
