import { CAUSES, DOUBT } from './causes.ts'
import { type Chance, chanceOf } from './chance.ts'
import { activeRecords } from './activeRecords.ts'
import type {
  Cause,
  Denied,
  Identity,
  Letter,
  Mapping,
  Paused,
  Queue,
  Recorded,
  World,
} from './world.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const NOW = 1_800_000_000_000

export const CONSUMERS = ['orders', 'refunds', 'mails', 'Rechnung.v2', 'stock-1'] as const
export const FLOWS = ['trip', 'parcel'] as const

/** A world that is broken by chance: the same for the same seed. */
export function makeWorld(seed: number): World {
  const chance = chanceOf(seed)
  const [dead, sources] = someQueues(chance)
  const behind = chance.is(0.1) ? chance.of([-2, 2]) * HOUR : 0
  const { letters, records } = failures(chance, dead, sources, NOW + behind)
  const pauses = somePauses(chance, sources, NOW + behind)
  const mappings = someMappings(chance, sources, pauses)
  const circuits = chance.is(0.1) ? [{ owner: chance.of(CONSUMERS), says: 'bank is down' }] : []
  return {
    seed,
    now: NOW,
    queues: [...dead, ...sources],
    letters,
    records: [...records, ...activeRecords(chance, NOW + behind)],
    mappings,
    pauses,
    circuits,
    sweeper: chance.of(['runs', 'runs', 'runs', 'absent', 'silent', 'stuck'] as const),
    killedPlan: chance.is(0.1) ? '7f3a91c2' : undefined,
    denied: someDenied(chance, [...dead, ...sources]),
    behind,
  }
}

const EMPTY = { deadLetterQueue: undefined, waiting: 0, inFlight: 0, delayed: 0, grows: 0 }

function someQueues(chance: Chance): readonly [readonly Queue[], readonly Queue[]] {
  const dead = chance.some(['orders-dead', 'refunds-dead', 'mails-dead', 'shared-dead'], 1)
  const names = dead.map((name): Queue => ({ ...EMPTY, name }))
  const first = names[0]
  if (names.length > 1 && first !== undefined && chance.is(0.08)) {
    // Somebody has given a dead-letter queue one of its own.
    names[0] = { ...first, deadLetterQueue: names[1]?.name }
  }
  const sources = dead.flatMap((queue, at) => {
    const name = CONSUMERS[at] ?? 'orders'
    const own: Queue = { ...source(chance, name), deadLetterQueue: queue }
    return chance.is(0.2) ? [own, { ...own, name: `${name}-slow` }] : [own]
  })
  // No redrive policy: for people, or for a consumer that has none.
  const plain = chance.is(0.4) ? [source(chance, 'reports')] : []
  return [names, [...sources, ...plain]]
}

function source(chance: Chance, name: string): Queue {
  const waiting = chance.is(0.5) ? 0 : chance.of([3, 40, 150, 12_000])
  return {
    ...EMPTY,
    name,
    waiting,
    inFlight: chance.is(0.5) ? 0 : chance.of([1, 10]),
    delayed: chance.is(0.9) ? 0 : 5,
    grows: waiting >= 100 && chance.is(0.4) ? waiting / 10 : 0,
  }
}

function someMappings(
  chance: Chance,
  sources: readonly Queue[],
  pauses: readonly Paused[],
): readonly Mapping[] {
  return sources.flatMap(({ name, deadLetterQueue }): readonly Mapping[] => {
    if (chance.is(deadLetterQueue === undefined ? 0.6 : 0.12)) return []
    const isPaused = pauses.some(({ queue, state }) => queue === name && state === 'paused')
    const state = isPaused
      ? 'Disabled'
      : chance.of(['Enabled', 'Enabled', 'Enabled', 'Enabled', 'Disabled', 'Disabling'])
    const result = chance.of(['OK', 'OK', 'OK', 'No records processed', FAILING, undefined])
    return [{ queue: name, function: `f-${name}`, state, result }]
  })
}

const FAILING = 'PROBLEM: Function call failed'

function somePauses(chance: Chance, sources: readonly Queue[], now: number): readonly Paused[] {
  return sources.flatMap(({ name }): readonly Paused[] => {
    if (!chance.is(0.12)) return []
    const since = now - chance.of([1, 30]) * HOUR
    const until = chance.of([undefined, now + HOUR, now - 10 * MINUTE])
    const state = chance.is(0.85) ? 'paused' : 'resuming'
    return [{ queue: name, function: `f-${name}`, state, since, until }]
  })
}

function someDenied(chance: Chance, queues: readonly Queue[]): ReadonlySet<Denied> {
  if (chance.is(0.5)) return new Set()
  const { name } = chance.of(queues)
  return new Set(
    chance.some<Denied>(
      [
        'list of queues',
        `attributes of ${name}`,
        `attributes of ${name}`,
        `messages of ${name}`,
        `messages of ${name}`,
        'mappings',
        'mappings',
        'index',
        'items',
        'audit',
      ],
      1,
      2,
    ),
  )
}

type Failed = Pick<World, 'letters' | 'records'>

function failures(
  chance: Chance,
  dead: readonly Queue[],
  sources: readonly Queue[],
  now: number,
): Failed {
  const letters: Letter[] = []
  const records: Recorded[] = []
  // Few, so that what fails for one reason has several fates.
  const causes = chance.some(CAUSES, 1, 4)
  let nth = 1
  for (let left = chance.of([0, 0, 1, 2, 3, 5, 7]); left > 0; left--) {
    const queue = chance.of(dead).name
    const number = chance.of([1, 1, 2, 3, 5, 8, 12, 60, chance.is(0.2) ? 620 : 4])
    const episode = { queue, number, first: nth, source: chance.of(sources).name, now, causes }
    const failed = chance.is(0.2) ? withoutReason(chance, episode) : withReason(chance, episode)
    letters.push(...failed.letters)
    records.push(...failed.records)
    nth += number
  }
  return { letters, records }
}

interface Episode {
  readonly causes: readonly Cause[]
  readonly queue: string
  readonly number: number
  readonly first: number
  readonly source: string
  /** By the clock of AWS. */
  readonly now: number
}

/** SQS has moved them, or another program has sent them. */
function withoutReason(
  chance: Chance,
  { queue, number, first, source: from, now }: Episode,
): Failed {
  const by = chance.of(['sqs', 'stranger'] as const)
  const held = chance.is(0.05)
  const letters = Array.from({ length: number }, (_, at): Letter => ({
    queue,
    by,
    of: undefined,
    from: by === 'sqs' ? from : undefined,
    nth: first + at,
    cause: undefined,
    sentAt: now - HOUR - at,
    attempted: true,
    held,
    uncounted: false,
  }))
  return { letters, records: [] }
}

/**
 * What has become of the letter and of the record of a request that has failed. `late`: its attempt took a quarter of an hour, and
 * SQS does not count its letter yet.
 */
const FATES = [
  'both',
  'both',
  'both',
  'both',
  'refused',
  'record gone',
  'letter gone',
  'no letter',
  'completed',
  'late',
  'doubt',
  'doubt without letter',
] as const

function withReason(chance: Chance, { queue, number, first, now, causes }: Episode): Failed {
  const fate = chance.of(FATES)
  const isDoubt = fate === 'doubt' || fate === 'doubt without letter'
  const cause = isDoubt ? DOUBT : chance.of(causes)
  const canBeRun =
    !isDoubt && fate !== 'refused' && fate !== 'completed' && cause.reason !== 'rejected'
  const form = canBeRun && chance.is(0.25) ? 'run' : 'request'
  const owner = form === 'run' ? chance.of(FLOWS) : chance.of(CONSUMERS)
  const held = fate !== 'late' && chance.is(0.06)
  const age = chance.of([5 * MINUTE, HOUR, 40 * HOUR])
  const letters: Letter[] = []
  const records: Recorded[] = []
  for (let nth = first; nth < first + number; nth++) {
    const of: Identity = { form, owner, id: someId(chance, nth) }
    const late = fate === 'late'
    const claimedAt = now - (late ? 15 * MINUTE : age) - nth
    const diedAt = late ? now - 5_000 : claimedAt + 100
    const hasLetter = !['letter gone', 'no letter', 'doubt without letter'].includes(fate)
    if (hasLetter) {
      const attempted = fate !== 'refused'
      const one = { queue, by: 'lineclear', of, from: undefined, nth, cause } as const
      letters.push({ ...one, sentAt: diedAt, attempted, held, uncounted: late })
    }
    if (fate === 'refused' || fate === 'record gone') continue
    const isLettered = hasLetter || fate === 'letter gone'
    records.push({
      ...of,
      nth,
      status: isDoubt
        ? 'unknown'
        : form === 'run'
          ? 'dead'
          : fate === 'completed'
            ? 'complete'
            : 'error',
      cause,
      claimedAt,
      dueAt: diedAt,
      leaseUntil: 0,
      attempt: 3,
      // A run has no other death than one with a letter.
      lettered: isLettered || form === 'run',
    })
  }
  return { letters, records }
}

export function someId(chance: Chance, nth: number): string {
  return chance.of([
    `r${nth}`,
    `Größe ${nth}`,
    `a b/${nth}`,
    `${nth}`,
    `${'lang'.repeat(70)}${nth}`,
  ])
}
