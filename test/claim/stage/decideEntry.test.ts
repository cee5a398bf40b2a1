import { describe, expect, it } from 'vitest'
import { busy, mayAbandon } from '../../../src/library/protocol/claim/stage/decideConflict.ts'
import { decideEntry } from '../../../src/library/protocol/claim/stage/decideEntry.ts'
import type { StageMessage } from '../../../src/library/protocol/claim/stage/stageMessage.ts'
import {
  type Given,
  expectVerdict,
  GIVE_UP,
  LIVE,
  NOW,
  request,
  running,
  type Then,
} from './given.ts'

type Row = readonly [given: string, Given, when: string, Partial<StageMessage>, Then]

/** The entry of the stage itself, as it stands in the table. */
const own = (entry: string, more: Given = {}): Given => ({ 'stage:validate': entry, ...more })
const over = { giveUpAt: NOW }
const sender = (entry: string): Given => ({ 'stage:price': entry })
const handedOn = { after: 'price' }

const unclaimed: readonly Row[] = [
  ['nothing', {}, 'a message', {}, { kind: 'begin' }],
  ['its last millisecond', { giveUpAt: LIVE }, 'a message', {}, { kind: 'begin' }],
  ['its time over', over, 'a message', {}, { kind: 'deadLetter', because: 'too old' }],
  [
    'nothing',
    {},
    'what may not run',
    { refused: true },
    { kind: 'deadLetter', because: 'rejected' },
  ],
  [
    'its time over',
    over,
    'what may not run',
    { refused: true },
    { kind: 'deadLetter', because: 'rejected' },
  ],
  [
    'a live sender',
    sender(`open 1 theirs ${LIVE} 0`),
    'what it handed on',
    handedOn,
    { kind: 'busy', until: LIVE },
  ],
  [
    'a sender that waits',
    sender(`retry 1 theirs ${LIVE} 1 sent`),
    'what it handed on',
    handedOn,
    { kind: 'busy', until: GIVE_UP },
  ],
  [
    'a sender that died',
    sender('dead 3 terminal'),
    'what it handed on',
    handedOn,
    { kind: 'busy', until: GIVE_UP },
  ],
  ['a settled sender', sender('settled on validate'), 'its message', handedOn, { kind: 'begin' }],
  ['no such sender', {}, 'its message', handedOn, { kind: 'refuse', because: 'unsent' }],
  [
    'a sender that handed on to another',
    sender('settled on pay'),
    'its message',
    handedOn,
    { kind: 'refuse', because: 'unsent' },
  ],
  [
    'no such sender',
    {},
    'what may not run',
    { ...handedOn, refused: true },
    { kind: 'refuse', because: 'unsent' },
  ],
  [
    'a live sender',
    sender(`open 1 theirs ${LIVE} 0`),
    'what may not run',
    { ...handedOn, refused: true },
    { kind: 'busy', until: LIVE },
  ],
  [
    'a live sender, its time over',
    { ...over, ...sender(`open 1 theirs ${LIVE} 0`) },
    'what it handed on',
    handedOn,
    { kind: 'deadLetter', because: 'too old' },
  ],
  ['another live stage', sender(`open 1 theirs ${LIVE} 0`), 'a message', {}, { kind: 'begin' }],
]

const open: readonly Row[] = [
  ['mine', own(`open 1 mine ${LIVE} 0`), 'myself again', {}, { kind: 'mine' }],
  ['mine, its lease over', own(`open 1 mine ${NOW} 0`), 'myself again', {}, { kind: 'mine' }],
  ['mine, the last', own(`open 3 mine ${NOW} 0`), 'myself again', {}, { kind: 'mine' }],
  [
    'mine, in its last millisecond',
    own(`open 1 mine ${LIVE} 0`, { giveUpAt: LIVE }),
    'myself again',
    {},
    { kind: 'mine' },
  ],
  [
    'mine, its time over',
    own(`open 1 mine ${LIVE} 0`, over),
    'myself again',
    {},
    { kind: 'deadLetter', because: 'too old' },
  ],
  ['live', own(`open 1 theirs ${LIVE} 0`), 'a copy', {}, { kind: 'held', until: LIVE }],
  [
    'live, its time over',
    own(`open 1 theirs ${LIVE} 0`, over),
    'a copy',
    {},
    { kind: 'held', until: LIVE },
  ],
  [
    'live',
    own(`open 1 theirs ${LIVE} 0`),
    'what may not run',
    { refused: true },
    { kind: 'held', until: LIVE },
  ],
  ['lost', own(`open 1 theirs ${NOW} 0`), 'a copy', {}, { kind: 'takeOver' }],
  ['lost, one is left', own(`open 2 theirs ${NOW} 0`), 'a copy', {}, { kind: 'takeOver' }],
  [
    'lost, the last',
    own(`open 3 theirs ${NOW} 0`),
    'a copy',
    {},
    { kind: 'deadLetter', because: 'exhausted' },
  ],
  [
    'lost, fewer allowed since',
    own(`open 4 theirs ${NOW} 0`),
    'a copy',
    {},
    { kind: 'deadLetter', because: 'exhausted' },
  ],
  [
    'lost, its time over',
    own(`open 1 theirs ${NOW} 0`, over),
    'a copy',
    {},
    { kind: 'deadLetter', because: 'too old' },
  ],
  [
    'lost',
    own(`open 1 theirs ${NOW} 0`),
    'what may not run',
    { refused: true },
    { kind: 'deadLetter', because: 'rejected' },
  ],
  [
    'lost, begun before its sender was lost',
    own(`open 1 theirs ${NOW} 0`, sender(`open 1 other ${LIVE} 0`)),
    'a copy',
    handedOn,
    { kind: 'takeOver' },
  ],
]

const waiting: readonly Row[] = [
  [
    'due',
    own(`retry 1 a ${NOW} 2 sent`),
    'a message that no stage has sent',
    { resendNumber: 2, after: 'nowhere' },
    { kind: 'refuse', because: 'unsent' },
  ],
  ['due', own(`retry 1 a ${NOW} 2 sent`), 're-send 2', { resendNumber: 2 }, { kind: 'takeOver' }],
  ['due', own(`retry 1 a ${NOW} 2 sent`), 're-send 3', { resendNumber: 3 }, { kind: 'takeOver' }],
  ['due', own(`retry 1 a ${NOW} 2 sent`), 're-send 1', { resendNumber: 1 }, { kind: 'replaced' }],
  ['due', own(`retry 1 a ${NOW} 2 sent`), 'a dead letter', { death: 3 }, { kind: 'takeOver' }],
  [
    'due',
    own(`retry 1 a ${NOW} 2 sent`),
    'a dead letter of no death',
    { death: 0 },
    { kind: 'takeOver' },
  ],
  [
    'due, unsent',
    own(`retry 1 a ${NOW} 2 unsent`),
    're-send 1',
    { resendNumber: 1 },
    { kind: 'takeOver' },
  ],
  ['not due', own(`retry 1 a ${LIVE} 0 sent`), 'a copy', {}, { kind: 'early', until: LIVE }],
  [
    'not due, the last',
    own(`retry 3 a ${LIVE} 0 sent`),
    'a copy',
    {},
    { kind: 'early', until: LIVE },
  ],
  [
    'due, the last',
    own(`retry 3 a ${NOW} 0 sent`),
    'a copy',
    {},
    { kind: 'deadLetter', because: 'exhausted' },
  ],
  [
    'not due',
    own(`retry 1 a ${LIVE} 0 sent`),
    'what may not run',
    { refused: true },
    { kind: 'deadLetter', because: 'rejected' },
  ],
  [
    'not due, its time over',
    own(`retry 1 a ${LIVE} 0 sent`, over),
    'a copy',
    {},
    { kind: 'deadLetter', because: 'too old' },
  ],
  [
    'not due, its last millisecond',
    own(`retry 1 a ${GIVE_UP} 0 sent`, { giveUpAt: LIVE }),
    'a copy',
    {},
    { kind: 'early', until: GIVE_UP },
  ],
  [
    'due',
    own(`retry 1 a ${NOW} 2 sent`),
    're-send 1 that may not run',
    { resendNumber: 1, refused: true },
    { kind: 'replaced' },
  ],
]

const dying: readonly Row[] = [
  ['mine', own(`dying 1 mine ${LIVE} terminal`), 'myself', {}, { kind: 'deadLettering' }],
  [
    'mine, its lease over',
    own(`dying 1 mine ${NOW} terminal`),
    'myself',
    {},
    { kind: 'deadLettering' },
  ],
  ['live', own(`dying 1 theirs ${LIVE} terminal`), 'a copy', {}, { kind: 'held', until: LIVE }],
  [
    'its burier dead',
    own(`dying 1 theirs ${NOW} unknown`),
    'a copy',
    {},
    { kind: 'deadLetter', because: 'unknown' },
  ],
]

const ended: readonly Row[] = [
  ['settled', own('settled on'), 'a copy', {}, { kind: 'over', as: 'duplicate' }],
  [
    'settled',
    own('settled ends'),
    'a dead letter',
    { death: 3 },
    { kind: 'over', as: 'duplicate' },
  ],
  ['dead', own('dead 3 terminal'), 'a copy', {}, { kind: 'over', as: 'alreadyDeadLettered' }],
  [
    'dead',
    own('dead 3 terminal'),
    'an older dead letter',
    { death: 2 },
    { kind: 'over', as: 'alreadyDeadLettered' },
  ],
  [
    'dead',
    own('dead 3 terminal'),
    'a later dead letter',
    { death: 4 },
    { kind: 'over', as: 'alreadyDeadLettered' },
  ],
  ['abandoned', own('dead 3 abandoned'), 'a copy', {}, { kind: 'abandonedMessage', death: 3 }],
  [
    'abandoned',
    own('dead 3 abandoned'),
    'a dead letter',
    { death: 2 },
    { kind: 'abandonedMessage', death: 3 },
  ],
  ['abandoned', own('dead 3 abandoned'), 'its dead letter', { death: 3 }, { kind: 'revive' }],
  [
    'abandoned',
    own('dead 3 abandoned'),
    'a late one',
    { death: 4 },
    { kind: 'over', as: 'alreadyDeadLettered' },
  ],
  [
    'abandoned at once',
    own('dead 0 abandoned'),
    'a copy',
    {},
    { kind: 'over', as: 'alreadyDeadLettered' },
  ],
  ['dead', own('dead 3 terminal'), 'its dead letter', { death: 3 }, { kind: 'revive' }],
  [
    'dead',
    own('dead 3 terminal'),
    'its dead letter that may not run',
    { death: 3, refused: true },
    { kind: 'refuse', because: 'rejected' },
  ],
  [
    'dead, time over',
    own('dead 3 terminal', over),
    'its dead letter',
    { death: 3 },
    { kind: 'abandonRun' },
  ],
  [
    'dead, time over, another at work',
    own('dead 3 terminal', { ...over, 'stage:price': `open 1 theirs ${LIVE} 0` }),
    'its dead letter',
    { death: 3 },
    { kind: 'busy', until: LIVE },
  ],
  [
    'dead, as its sender',
    own('dead 3 terminal', sender('dead 3 terminal')),
    'its dead letter',
    { death: 3, ...handedOn },
    { kind: 'busy', until: GIVE_UP },
  ],
  [
    'dead, its sender settled',
    own('dead 3 terminal', sender('settled on validate')),
    'its dead letter',
    { death: 3, ...handedOn },
    { kind: 'revive' },
  ],
]

describe.each([
  ['a stage that no attempt claimed', unclaimed],
  ['an open stage', open],
  ['a stage that waits for its retry', waiting],
  ['a dying stage', dying],
  ['a stage at its end', ended],
])('%s', (_, rows) => {
  it.each(rows)('given %s, when %3$s comes', (_given, given, _when, when, then) => {
    const record = running(given)
    expectVerdict(decideEntry(record, record.run, request(when), NOW), then, record)
  })
})

describe('a run that is in the way', () => {
  it.each<[string, Given, boolean]>([
    ['has time left', { giveUpAt: LIVE }, false],
    ['has no time left', over, true],
    ['has no time, but is at work', { ...over, ...own(`open 1 a ${LIVE} 0`) }, false],
    ['has no time, and is being buried', { ...over, ...own(`dying 1 a ${LIVE} unknown`) }, false],
    ['has no time, and its lease is over', { ...over, ...own(`open 1 a ${NOW} 0`) }, true],
    [
      'has no time, and is at work on one of two stages',
      { ...over, ...own(`open 1 a ${NOW} 0`), ...sender(`open 1 a ${LIVE} 0`) },
      false,
    ],
  ])('may be given up only when no attempt can be running: %s', (_, given, expected) => {
    expect(mayAbandon(running(given).run, NOW)).toBe(expected)
  })

  it('is busy until its last lease, or until it may be given up', () => {
    const both = { ...own(`open 1 a ${LIVE} 0`), ...sender(`open 1 a ${LIVE + 5} 0`) }
    expect(busy(running(both).run)).toEqual({ kind: 'busy', until: LIVE + 5 })
    expect(busy(running(own('settled on')).run)).toEqual({ kind: 'busy', until: GIVE_UP })
    expect(busy(running().run)).toEqual({ kind: 'busy', until: GIVE_UP })
  })
})
