import type { Chance } from './chance.ts'
import { CAUSES, THROTTLED } from './causes.ts'
import type { Identity, Recorded } from './world.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** What runs, waits, is late, or was lost. Nothing is due within the two minutes in which it may still go on by itself. */
export function activeRecords(chance: Chance, now: number): readonly Recorded[] {
  const first = 100_000
  const records: Recorded[] = []
  for (let left = chance.of([0, 0, 1, 2, 4, 6]); left > 0; left--) {
    const make = chance.of(Object.values(KINDS))
    const owner = chance.of(['orders', 'refunds', 'mails', 'Überweisung'])
    const age = chance.of([MINUTE, 20 * MINUTE, 5 * HOUR])
    for (let more = chance.of([1, 1, 2, 4, 12]); more > 0; more--) {
      const nth = first + records.length
      records.push(make({ nth, owner, since: now - age - nth, now, chance }))
    }
  }
  return records
}

interface Making {
  readonly nth: number
  readonly owner: string
  readonly since: number
  readonly now: number
  readonly chance: Chance
}

type Make = (making: Making) => Recorded

function base(form: Identity['form'], { nth, owner, since }: Making) {
  const id = form === 'run' || form === 'step' ? `Kunde ${nth}` : `a${nth}`
  const own = form === 'run' || form === 'step' ? 'trip' : owner
  const claimed = { claimedAt: since, leaseUntil: 0, attempt: 2, lettered: false }
  return { form, owner: own, id, nth, cause: undefined, ...claimed } as const
}

function request(making: Making) {
  // The name of a consumer is plain; that of a key is not.
  return making.owner === 'Überweisung' ? base('key', making) : base('request', making)
}

const KINDS: Readonly<Record<string, Make>> = {
  live: (making) => ({
    ...request(making),
    status: 'inProgress',
    dueAt: making.now + 5 * MINUTE,
    leaseUntil: making.now + 5 * MINUTE,
  }),
  retried: (making) => ({
    ...request(making),
    status: 'inProgress',
    cause: making.chance.of(CAUSES.slice(0, 3)),
    attempt: making.chance.of([2, 7]),
    dueAt: making.now + 3 * MINUTE,
  }),
  throttled: (making) => ({
    ...request(making),
    status: 'inProgress',
    cause: THROTTLED,
    attempt: 5,
    dueAt: making.now + 3 * MINUTE,
  }),
  lost: (making) => ({
    ...request(making),
    status: 'inProgress',
    dueAt: making.now - 10 * MINUTE,
    leaseUntil: making.now - 10 * MINUTE,
  }),
  // Its attempt was taken for lost, and has completed after all.
  completed: (making) => ({
    ...request(making),
    status: 'complete',
    dueAt: making.now - 10 * MINUTE,
  }),
  ahead: (making) => ({
    ...request(making),
    status: 'inProgress',
    claimedAt: making.now + 9 * HOUR,
    dueAt: making.now + 10 * HOUR,
    leaseUntil: making.now + 10 * HOUR,
  }),
  dying: (making) => ({
    ...request(making),
    status: 'dying',
    dueAt: making.now + making.chance.of([-9, 1]) * MINUTE,
  }),
  running: (making) => ({
    ...base('run', making),
    status: 'running',
    dueAt: making.now + HOUR,
    giveUpAt: making.now + HOUR,
    leaseUntil: making.now + MINUTE,
  }),
  stalled: (making) => ({
    ...base('run', making),
    status: 'running',
    dueAt: making.now + HOUR,
    giveUpAt: making.now + HOUR,
    leaseUntil: making.now - 9 * MINUTE,
  }),
  givenUp: (making) => ({
    ...base('run', making),
    status: 'running',
    dueAt: making.now - 9 * MINUTE,
    giveUpAt: making.now - 9 * MINUTE,
    leaseUntil: making.now - 9 * MINUTE,
  }),
  awaiting: (making) => ({
    ...base('step', making),
    status: 'awaiting',
    dueAt: making.now + HOUR,
  }),
  unanswered: (making) => ({
    ...base('step', making),
    status: 'awaiting',
    dueAt: making.now - 7 * MINUTE,
  }),
  // Its run has ended otherwise, and the index has not forgotten it yet.
  ended: (making) => ({
    ...base('step', making),
    status: 'awaiting',
    dueAt: making.now + making.chance.of([-7, 60]) * MINUTE,
    runEnded: true,
  }),
  accepted: (making) => ({
    ...base('event', making),
    owner: 'paid',
    status: 'accepted',
    dueAt: making.now + making.chance.of([-8, 1]) * MINUTE,
  }),
  later: (making) => ({
    ...base('delayed', making),
    owner: 'delayed messages',
    status: 'later',
    dueAt: making.now + making.chance.of([-8, 600]) * MINUTE,
  }),
}
