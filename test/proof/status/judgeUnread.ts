import type { Facts } from './facts.ts'
import type { Seen } from './look.ts'

/** Each source that could not be read is named with the reason, and no other. */
export function judgeUnread(facts: Facts, { json }: Seen): readonly string[] {
  const expected = expectedUnread(facts)
  const wrong: string[] = []
  for (const { names, why } of expected) {
    const isSaid = json.unread.some((line) => names.test(line) && why.test(line))
    if (!isSaid) wrong.push(`does not say that it was not read: ${names.source} ${why.source}`)
  }
  const may = [...expected, ...mayBeUnread(facts)]
  for (const line of json.unread) {
    if (!may.some(({ names, why }) => names.test(line) && why.test(line)))
      wrong.push(`invents that it was not read: ${line}`)
  }
  return wrong
}

interface Unread {
  readonly names: RegExp
  readonly why: RegExp
}

const DENIED = /not authorized/

function expectedUnread(facts: Facts): readonly Unread[] {
  const { world, isDenied, reach } = facts
  const all: Unread[] = []
  if (isDenied('list of queues')) all.push({ names: /queues/, why: DENIED })
  if (isDenied('index')) all.push({ names: /table|index/, why: DENIED })
  if (isDenied('items')) all.push({ names: /table/, why: DENIED })
  if (isDenied('audit')) all.push({ names: /operators|changes/, why: DENIED })
  if (isDenied('list of queues')) return all
  for (const queue of unownedQueues(facts)) {
    all.push({ names: new RegExp(`^who reads ${queue}, where`), why: /dlq groups/ })
  }
  for (const { name, deadLetterQueue } of world.queues) {
    if (isDenied(`attributes of ${name}`)) all.push({ names: exactly(name), why: DENIED })
    const own = reach.get(name)
    if (own === 'unread' && isDenied(`messages of ${name}`) && deadLetterQueue === undefined)
      all.push({ names: exactly(name), why: DENIED })
    if (own === 'unread' && deadLetterQueue !== undefined)
      all.push({ names: exactly(name), why: /dead-letter queue of its own/ })
    if (own === 'part')
      all.push({
        names: new RegExp(`^[\\d,]+ of [\\d,]+ dead letters of ${name} `),
        why: /dlq groups/,
      })
  }
  // Who reads a queue, and whether that fails, is known by its mappings only.
  if (isDenied('mappings')) {
    for (const queue of waitingQueues(facts)) {
      all.push({
        names: new RegExp(`consumers? of .*(\\b${queue}\\b| and \\d+ more)`),
        why: DENIED,
      })
    }
  }
  return all
}

/** What nothing reads, as far as mappings and policies show, and nobody holds: whether somebody comes for it is not known. */
function unownedQueues({ world, isDenied, reach, lettersOf }: Facts): readonly string[] {
  if (isDenied('mappings')) return []
  return world.queues
    .filter(({ name }) => !reach.has(name) && !isDenied(`attributes of ${name}`))
    .filter(({ name, deadLetterQueue, waiting, inFlight }) => {
      // Letters are here where the queue that names this one could not be read.
      const counted = lettersOf(name).filter(({ uncounted }) => !uncounted)
      const held = counted.filter((letter) => letter.held).length
      const visible = waiting + counted.length - held
      return deadLetterQueue === undefined && visible > 0 && inFlight + held === 0
    })
    .filter(({ name }) => !world.mappings.some(({ queue }) => queue === name))
    .map(({ name }) => name)
}

/** Sources with messages that are seen. */
function waitingQueues({ world, isDenied, reach, lettersOf }: Facts): readonly string[] {
  return world.queues
    .filter(({ name }) => !reach.has(name) && !isDenied(`attributes of ${name}`))
    .filter(({ name, waiting, inFlight, delayed }) => {
      const letters = lettersOf(name).filter(({ uncounted }) => !uncounted).length
      return waiting + inFlight + delayed + letters > 0
    })
    .map(({ name }) => name)
}

function exactly(name: string): RegExp {
  return new RegExp(`^${name} \\(`)
}

function mayBeUnread(facts: Facts): readonly Unread[] {
  const { world, isDenied } = facts
  const all: Unread[] = world.queues
    .filter(({ waiting, inFlight }) => waiting > 0 && inFlight === 0)
    .map(({ name }) => ({ names: new RegExp(`whether ${name} is read`), why: /no receipt/ }))
  if (world.records.length > 400) all.push({ names: /^all that is/, why: /ls --count counts all/ })
  if (!facts.activeRead) {
    all.push({ names: /^\d+ of \S+ that the index lists as/, why: /that were read have ended/ })
  }
  if (isDenied('items') && world.letters.length > 0)
    all.push({ names: /records|table/, why: DENIED })
  return all
}
