import { HOUR } from './days.ts'
import { type Sent, type Trips, trips } from './trips.ts'

type Trip = ReturnType<typeof trips>
type Queue = 'book' | 'ship' | 'quotes'

/** What arrives late, and in which state it finds its run. */
interface Arrival {
  readonly to: Queue
  readonly options?: Trips
  /** How it ends at each of the ages, and what has run by then. */
  readonly ends: readonly [string, string, string, string]
  /** @returns the message that arrives again, or for the first time, when its age is over */
  begin(trip: Trip): Promise<Sent | undefined>
}

/** Hands on what is on a queue, often enough for every attempt. */
async function hand(trip: Trip, queue: Queue, by: 'old' | 'renamed' = 'old'): Promise<void> {
  for (let nth = 0; nth < 3; nth++) {
    await trip.deliver(queue, trip[by][queue])
    trip.clock.advance(1_000)
  }
}

/** Hands on what is on a queue. @returns its last message, as SQS would deliver it again */
async function handCopied(trip: Trip, queue: Queue): Promise<Sent | undefined> {
  const taken = await trip.take(queue)
  for (const message of taken) await trip.put(queue, message)
  await hand(trip, queue)
  return taken.at(-1)
}

async function asked(trip: Trip): Promise<Sent | undefined> {
  await trip.old.flow.start({ key: 'k' })
  return handCopied(trip, 'book')
}

async function answered(trip: Trip): Promise<Sent | undefined> {
  await asked(trip)
  await trip.answer('q1', 5)
  return handCopied(trip, 'quotes')
}

const letterOf = async (trip: Trip): Promise<Sent | undefined> => (await trip.take('dead')).at(-1)
const QUOTE: Sent = { body: '{"quoteId":"q1","price":5}' }

/** At every age. */
const always = (end: string): Arrival['ends'] => [end, end, end, end]

export const ARRIVALS: Readonly<Record<string, Arrival>> = {
  'a copy of the first stage': {
    to: 'book',
    ends: [
      'duplicate: book q1=5 ship',
      'duplicate: book q1=5 ship',
      'too old: book q1=5 ship',
      'too old: book q1=5 ship',
    ],
    begin: async (trip) => {
      const copy = await asked(trip)
      await trip.answer('q1', 5)
      await hand(trip, 'quotes')
      await hand(trip, 'ship')
      return copy
    },
  },
  'a copy of a later stage': {
    to: 'ship',
    ends: [
      'stale: book q1=5 ship',
      'stale: book q1=5 ship',
      'too old: book q1=5 ship',
      'too old: book q1=5 ship',
    ],
    begin: async (trip) => {
      await answered(trip)
      return handCopied(trip, 'ship')
    },
  },
  'a message of a stage that was never delivered': {
    to: 'ship',
    ends: [
      'completed: book q1=5 ship',
      'too old: book q1=5',
      'too old: book q1=5',
      'too old: book q1=5',
    ],
    begin: async (trip) => {
      await answered(trip)
      return (await trip.take('ship')).at(-1)
    },
  },
  'the dead letter of a later stage': {
    to: 'ship',
    ends: [
      'completed: book q1=5 ship',
      'completed: book q1=5 ship',
      'too old: book q1=5',
      'too old: book q1=5',
    ],
    begin: async (trip) => {
      trip.fails.ship = true
      await answered(trip)
      await hand(trip, 'ship')
      trip.fails.ship = false
      return letterOf(trip)
    },
  },
  'the dead letter of the first stage': {
    to: 'book',
    ends: ['completed: book', 'completed: book', 'too old: ', 'too old: '],
    begin: async (trip) => {
      trip.fails.ask = true
      await asked(trip)
      trip.fails.ask = false
      return letterOf(trip)
    },
  },
  'a copy of a dead letter that was redriven': {
    to: 'ship',
    ends: [
      'duplicate: book q1=5 ship',
      'duplicate: book q1=5 ship',
      'too old: book q1=5 ship',
      'too old: book q1=5 ship',
    ],
    begin: async (trip) => {
      trip.fails.ship = true
      await answered(trip)
      await hand(trip, 'ship')
      trip.fails.ship = false
      const letter = await letterOf(trip)
      if (letter !== undefined) await trip.put('ship', letter)
      await hand(trip, 'ship')
      return letter
    },
  },
  'the dead letter of an answer': {
    to: 'quotes',
    ends: ['completed: book q1=5', 'completed: book q1=5', 'too old: book', 'too old: book'],
    begin: async (trip) => {
      trip.fails.quote = true
      await answered(trip)
      trip.fails.quote = false
      return letterOf(trip)
    },
  },
  'the first answer': {
    to: 'quotes',
    ends: ['completed: book q1=5', 'too old: book', 'too old: book', 'too old: book'],
    begin: async (trip) => {
      await asked(trip)
      return QUOTE
    },
  },
  'a copy of an answer': {
    to: 'quotes',
    ends: always('duplicate: book q1=5'),
    begin: answered,
  },
  'an answer to a run that was reset': {
    to: 'quotes',
    ends: always('completed: book late 5'),
    begin: async (trip) => {
      await asked(trip)
      await trip.old.flow.reset('k')
      return QUOTE
    },
  },
  'a copy of a late answer': {
    to: 'quotes',
    ends: always('duplicate: book late 5'),
    begin: async (trip) => {
      await asked(trip)
      await trip.old.flow.reset('k')
      await trip.put('quotes', QUOTE)
      await hand(trip, 'quotes')
      return QUOTE
    },
  },
  'a copy of a counted answer of a join': {
    to: 'quotes',
    options: { ids: ['q1', 'q2'] },
    ends: always('duplicate: book'),
    begin: async (trip) => {
      await asked(trip)
      await trip.put('quotes', QUOTE)
      await hand(trip, 'quotes')
      return QUOTE
    },
  },
  'the last answer of a join': {
    to: 'quotes',
    options: { ids: ['q1', 'q2'] },
    ends: ['completed: book q1=5 q2=6', 'too old: book', 'too old: book', 'too old: book'],
    begin: async (trip) => {
      await asked(trip)
      await trip.put('quotes', QUOTE)
      await hand(trip, 'quotes')
      return { body: '{"quoteId":"q2","price":6}' }
    },
  },
  'a timeout': {
    to: 'quotes',
    options: { timeout: true },
    ends: ['deferred: book', 'too old: book', 'too old: book', 'too old: book'],
    begin: async (trip) => {
      await asked(trip)
      trip.clock.advance(HOUR)
      return (await trip.take('quotes')).at(-1)
    },
  },
}

/** How old the last event of the run is when the message arrives, in retentions (2 days). */
export const AGES = [0, 0.99, 1.01, 2] as const
const RETENTION = 48 * HOUR

/** What has run in all, how the late message settled, and the dead letters that are left. */
export async function endOf(
  { to, options, begin }: Arrival,
  age: number,
  by: 'old' | 'renamed',
  more: Trips,
): Promise<string> {
  const trip = trips({ ...options, ...more })
  const message = await begin(trip)
  if (message === undefined) throw new Error('there is a message that arrives late')
  trip.clock.advance(age * RETENTION)
  const before = trip.settled.length
  await trip.put(to, message)
  await trip.deliver(to, trip[by][to])
  const [settlement] = trip.settled.slice(before)
  const end = settlement?.kind === 'deadLettered' ? settlement.reason : settlement?.kind
  return `${end}: ${trip.log.flat().join(' ')}`
}
