import { DOUBT } from './causes.ts'
import { type Denied, type Letter, nameOf, type Queue, type Recorded, type World } from './world.ts'

/**
 * How much of a dead-letter queue can be known. `whole`: each letter comes. `part`: some are held, or there are too many.
 * `unread`: SQS counts some, and none comes. `hidden`: not even that it has letters.
 */
export type Reach = 'whole' | 'part' | 'unread' | 'hidden'

/** What can be known of a world with its permissions, from its facts alone. */
export interface Facts {
  readonly world: World
  readonly isDenied: (what: Denied) => boolean
  /** Dead-letter queues, as far as a redrive policy that can be read names them. */
  readonly reach: ReadonlyMap<string, Reach>
  readonly lettersOf: (queue: string) => readonly Letter[]
  readonly recordOf: (letter: Letter) => Recorded | undefined
  /** Letters that come from SQS for certain. */
  readonly read: readonly Letter[]
  /** Letters that may come. */
  readonly maybe: readonly Letter[]
  /** Both the index and its items. */
  readonly tableRead: boolean
  /** Every parked record is read, and every active one. */
  readonly parkedRead: boolean
  readonly activeRead: boolean
}

export const PARKED: ReadonlySet<Recorded['status']> = new Set(['error', 'unknown', 'dead'])

/** So many letters of a queue come for certain; and of so many not all. */
const [FEW, MANY] = [500, 540]
/** So many items are read of what is parked, and of what is active. */
const ITEMS = 50

export function factsOf(world: World): Facts {
  const isDenied = (what: Denied): boolean => world.denied.has(what)
  const lettersOf = (queue: string): readonly Letter[] =>
    world.letters.filter((each) => each.queue === queue)
  const reach = new Map(
    world.queues
      .filter(({ name }) => isDeadLetterQueue(world, name))
      .map((queue) => [queue.name, reachOf(world, queue)] as const),
  )
  const records = new Map(world.records.map((each) => [nameOf(each), each]))
  const tableRead = !isDenied('index') && (!isDenied('items') || world.records.length === 0)
  const parked = world.records.filter(({ status }) => PARKED.has(status))
  const active = world.records.filter(({ status }) => !PARKED.has(status))
  return {
    world,
    isDenied,
    reach,
    lettersOf,
    recordOf: ({ of }) => (of === undefined ? undefined : records.get(nameOf(of))),
    read: world.letters.filter(({ queue }) => reach.get(queue) === 'whole'),
    maybe: world.letters.filter(({ queue, held }) => reach.get(queue) === 'part' && !held),
    tableRead,
    parkedRead: tableRead && areFew(parked),
    activeRead: tableRead && areFew(active),
  }
}

/** Some of each group are read, as many of each. */
function areFew(records: readonly Recorded[]): boolean {
  const groups = [
    ...Map.groupBy(records, ({ status, owner }) => `${listedAs(status)} ${owner}`).values(),
  ]
  return Math.max(0, ...groups.map(({ length }) => length)) <= Math.floor(ITEMS / groups.length)
}

export function listedAs(status: Recorded['status']): string {
  return status === 'complete' ? 'inProgress' : status
}

function isDeadLetterQueue({ queues, denied }: World, name: string): boolean {
  if (denied.has('list of queues')) return false
  return queues.some(
    (each) => each.deadLetterQueue === name && !denied.has(`attributes of ${each.name}`),
  )
}

function reachOf({ letters, denied }: World, { name, deadLetterQueue }: Queue): Reach {
  const on = letters.filter(({ queue }) => queue === name)
  if (denied.has(`attributes of ${name}`)) return 'hidden'
  if (on.every(({ uncounted }) => uncounted)) return on.length === 0 ? 'whole' : 'hidden'
  const come = on.filter(({ held }) => !held)
  // To look at a source would count as a delivery.
  if (deadLetterQueue !== undefined || denied.has(`messages of ${name}`) || come.length === 0) {
    return 'unread'
  }
  return come.length < on.length || on.length > FEW ? 'part' : 'whole'
}

/** Neither for certain all, nor for certain not all: no such world is made. */
export function isBetween({ queues, letters }: World): boolean {
  return queues.some(({ name }) => {
    const { length } = letters.filter(({ queue }) => queue === name)
    return length > FEW && length <= MANY
  })
}

/** A letter whose outcome is in doubt is a problem of its record, which is looked up first. */
export function isInDoubt(letter: Letter, { recordOf, tableRead }: Facts): boolean {
  return tableRead && letter.cause === DOUBT && recordOf(letter)?.status === 'unknown'
}

/** An attempt of it has ended, and no record of it is there. */
export function hasLostRecord(letter: Letter, { recordOf, isDenied }: Facts): boolean {
  if (isDenied('items') || letter.by !== 'lineclear' || !letter.attempted) return false
  return recordOf(letter) === undefined
}
