import { expect, it } from 'vitest'
import { CAUSES, DOUBT } from './causes.ts'
import { look } from './look.ts'
import { judge } from './oracle.ts'
import type { Cause, Letter, Queue, Recorded, World } from './world.ts'

const NOW = 1_800_000_000_000
const MINUTE = 60_000
const [UNAVAILABLE] = CAUSES as readonly [Cause]

const QUEUE: Queue = {
  name: 'dead',
  deadLetterQueue: undefined,
  waiting: 0,
  inFlight: 0,
  delayed: 0,
  grows: 0,
}

const SOUND: World = {
  seed: 1,
  now: NOW,
  queues: [QUEUE, { ...QUEUE, name: 'orders', deadLetterQueue: 'dead' }],
  letters: [],
  records: [],
  mappings: [{ queue: 'orders', function: 'f-orders', state: 'Enabled', result: 'OK' }],
  pauses: [],
  circuits: [],
  sweeper: 'runs',
  killedPlan: undefined,
  denied: new Set(),
  behind: 0,
}

/** What SOUND has, with some messages that wait. */
function waiting(number: number, more: Partial<Queue> = {}): readonly Queue[] {
  return SOUND.queues.map((each) =>
    each.name === 'orders' ? { ...each, waiting: number, ...more } : each,
  )
}

function letter(nth: number, more: Partial<Letter> = {}): Letter {
  const of = { form: 'request', owner: 'orders', id: `r${nth}` } as const
  const sentAt = NOW - 60 * MINUTE - nth
  const one = { queue: 'dead', by: 'lineclear', of, from: undefined, nth, sentAt } as const
  return { ...one, cause: UNAVAILABLE, attempted: true, held: false, uncounted: false, ...more }
}

function record(nth: number, more: Partial<Recorded> = {}): Recorded {
  const died = NOW - 60 * MINUTE - nth
  const of = { form: 'request', owner: 'orders', id: `r${nth}`, nth } as const
  const token = {
    status: 'error',
    claimedAt: died,
    dueAt: died,
    leaseUntil: 0,
    attempt: 3,
  } as const
  return { ...of, ...token, cause: UNAVAILABLE, lettered: true, ...more }
}

const ALL_OF = Array.from({ length: 60 }, (_, at) => at + 1)

const WORLDS: Readonly<Record<string, Partial<World>>> = {
  'nothing is wrong': {},
  'the changes of operators may not be read': { denied: new Set(['audit']) },
  'the index may not be read, and letters are in doubt': {
    denied: new Set(['index']),
    letters: [letter(1, { cause: DOUBT })],
    records: [record(1, { cause: DOUBT, status: 'unknown' })],
  },
  'items may not be read': {
    denied: new Set(['items']),
    letters: [letter(1), letter(2)],
    records: [record(1)],
  },
  'nothing may be read': {
    denied: new Set(['index', 'list of queues']),
    records: [record(1)],
  },
  'mappings may not be read, and messages wait': {
    denied: new Set(['mappings']),
    queues: waiting(40),
  },
  'mappings may not be read, and messages are received': {
    denied: new Set(['mappings']),
    queues: waiting(40, { inFlight: 5 }),
  },
  'mappings may not be read, and a queue has no redrive policy': {
    denied: new Set(['mappings']),
    queues: [...SOUND.queues, { ...QUEUE, name: 'reports', waiting: 3 }],
  },
  'a mapping is off, and the pauses may not be read': {
    denied: new Set(['index']),
    queues: waiting(40),
    mappings: [{ queue: 'orders', function: 'f-orders', state: 'Disabled', result: 'OK' }],
  },
  'all that failed is tried again, later': {
    queues: waiting(0, { delayed: 5 }),
    mappings: [
      {
        queue: 'orders',
        function: 'f-orders',
        state: 'Enabled',
        result: 'PROBLEM: Function call failed',
      },
    ],
  },
  'an attempt has died just now that began long ago, and SQS does not count its letter yet': {
    letters: [letter(1, { sentAt: NOW - 5_000, uncounted: true })],
    records: [record(1, { claimedAt: NOW - 15 * MINUTE, dueAt: NOW - 5_000 })],
  },
  'the clock of this machine is ahead, and a letter is on its way': {
    behind: -120 * MINUTE,
    letters: [letter(1, { sentAt: NOW - 121 * MINUTE, uncounted: true })],
    records: [record(1, { claimedAt: NOW - 121 * MINUTE, dueAt: NOW - 121 * MINUTE })],
  },
  'the oldest of the records with one cause has a letter': {
    letters: [letter(2)],
    records: [record(1, { claimedAt: NOW - 30 * MINUTE }), record(2)],
  },
  'some records with one cause are lost, and these letters are newer': {
    letters: [letter(1), letter(2, { sentAt: NOW - 5 * MINUTE })],
    records: [record(1)],
  },
  'only letters in doubt were read of some': {
    letters: [letter(1, { cause: DOUBT }), letter(2, { held: true })],
    records: [record(1, { cause: DOUBT, status: 'unknown' })],
  },
  'another reader holds a letter, and SQS does not count the newest one yet': {
    letters: [letter(1), letter(2, { held: true }), letter(3, { uncounted: true })],
    records: [record(1), record(2), record(3)],
  },
  'what was taken for lost has completed': {
    records: [record(1, { status: 'complete', cause: undefined })],
  },
  'many that were taken for lost have completed': {
    records: ALL_OF.map((nth) => record(nth, { status: 'complete', cause: undefined })),
  },
  'the run of an awaited step has ended': {
    records: [
      record(1, {
        form: 'step',
        owner: 'trip',
        status: 'awaiting',
        cause: undefined,
        runEnded: true,
      }),
    ],
  },
}

it.each(Object.entries(WORLDS))('status is true where %s', async (_, world) => {
  const whole = { ...SOUND, ...world }
  const seen = await look(whole)
  expect(judge(whole, seen), [...seen.text, ...seen.errors].join('\n')).toEqual([])
})
