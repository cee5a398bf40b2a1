import { type Facts, listedAs } from './facts.ts'
import type { Seen } from './look.ts'
import type { Mapping, Queue } from './world.ts'

type Finding = Seen['json']['findings'][number]

const KINDS: ReadonlySet<string> = new Set(['no consumer', 'failing', 'backlog', 'no progress'])
const READS: ReadonlySet<string> = new Set(['Enabled', 'Enabling'])

/** Queues that messages wait on: whether somebody reads them, and completes any. */
export function judgeSources(facts: Facts, { json, text }: Seen): readonly string[] {
  const { world, isDenied, reach } = facts
  const found = json.findings.filter(({ kind }) => KINDS.has(kind))
  if (isDenied('list of queues'))
    return found.length > 0 ? ['looks at queues that it cannot list'] : []
  const sources = world.queues.filter(({ name }) => !reach.has(name))
  return [
    ...sources.flatMap((queue) =>
      judgeQueue(
        facts,
        queue,
        found.filter(({ of }) => of === queue.name),
      ),
    ),
    ...found.flatMap(({ of }) =>
      sources.some(({ name }) => name === of) ? [] : [`no queue ${of} waits`],
    ),
    ...sources.flatMap((queue) => judgeRow(facts, queue, { json, text })),
  ]
}

function judgeQueue(facts: Facts, queue: Queue, found: readonly Finding[]): readonly string[] {
  const { name, waiting, inFlight } = queue
  const expected = expectedOf(facts, queue)
  const said = found.map(({ kind }) => kind).join()
  const wrong: string[] = []
  if (!expected.kinds.includes(said))
    wrong.push(`${name}: ${said || 'nothing'}, and not ${expected.kinds.join(' or ') || 'nothing'}`)
  for (const { number, kind, what, atLeast } of found) {
    const grown = waiting + queue.grows * 4
    const most = kind === 'backlog' ? grown : waiting + inFlight + queue.delayed + grown - waiting
    if (
      number > most ||
      number < Math.max(1, kind === 'failing' ? waiting + inFlight + queue.delayed : waiting)
    )
      wrong.push(`${name}: ${number} wait, and not ${waiting}`)
    if (atLeast) wrong.push(`${name}: SQS has counted all`)
    if (
      !expected.says.every((each) => what.includes(each)) &&
      kind !== 'backlog' &&
      kind !== 'no progress'
    )
      wrong.push(`${name}: ${what} does not say ${expected.says.join()}`)
  }
  return wrong
}

interface Expected {
  /** Kinds of the findings, joined: one of these. */
  readonly kinds: readonly string[]
  readonly says: readonly string[]
}

function expectedOf({ world, isDenied, tableRead }: Facts, queue: Queue): Expected {
  const { name, waiting, inFlight, delayed, grows, deadLetterQueue } = queue
  const knowsPauses = !isDenied('index') && (!isDenied('items') || world.pauses.length === 0)
  const none: Expected = { kinds: [''], says: [] }
  if (isDenied(`attributes of ${name}`)) return none
  const mappings = world.mappings.filter((each) => each.queue === name)
  if (isDenied('mappings')) return { ...none, kinds: grows > 0 ? ['backlog'] : [''] }
  // For people: nobody is expected to read it.
  if (deadLetterQueue === undefined && mappings.length === 0) return none
  if (waiting + inFlight + delayed === 0) return none
  const isPaused = knowsPauses && world.pauses.some((each) => each.queue === name)
  if (isPaused) return { kinds: grows > 0 ? ['backlog'] : [''], says: [] }
  if (mappings.length === 0) {
    if (waiting === 0) return none
    return inFlight === 0
      ? { kinds: ['no consumer'], says: ['no event source mapping'] }
      : { kinds: ['no consumer', ...quiet(grows)], says: [] }
  }
  const reading = mappings.filter(({ state }) => READS.has(state))
  if (reading.length === 0) {
    const off = mappings[0]
    return waiting === 0
      ? none
      : {
          kinds: ['no consumer'],
          says: [off?.state ?? '', off?.function ?? '', knowsPauses ? 'no pause' : 'was not read'],
        }
  }
  const failing = reading.find(isFailing)
  if (failing !== undefined) {
    return { kinds: ['no consumer', 'failing'], says: [failing.result ?? '', failing.function] }
  }
  if (grows > 0) return { kinds: ['backlog'], says: [] }
  const isUnsaid = mappings.every(({ result = '' }) => result === '')
  if (!isUnsaid) return none
  // Requests that are tried again have messages that do not go; and whether it is read may not be known.
  const open = world.records.some(({ status }) => OPEN.has(listedAs(status))) || !tableRead
  const isUnheld = waiting > 0 && inFlight === 0
  return { kinds: isUnheld ? [''] : open ? ['no progress', ''] : ['no progress'], says: [] }
}

const OPEN: ReadonlySet<string> = new Set([
  'inProgress',
  'dying',
  'running',
  'awaiting',
  'accepted',
])

function quiet(grows: number): readonly string[] {
  return grows > 0 ? ['backlog'] : ['']
}

function isFailing({ result }: Mapping): boolean {
  return result?.startsWith('PROBLEM') === true
}

/** The table of queues. */
function judgeRow(
  { isDenied, lettersOf }: Facts,
  { name, waiting, inFlight, delayed }: Queue,
  { json, text }: Pick<Seen, 'json' | 'text'>,
): readonly string[] {
  if (lettersOf(name).length > 0) return []
  const row = json.queues.find((each) => each.name === name)
  const line = text.find((each) => each.startsWith(`${name} `))
  if ((row === undefined) !== (line === undefined)) return [`text and JSON differ on ${name}`]
  if (row === undefined) return []
  if (isDenied(`attributes of ${name}`)) return [`counts ${name}, which it cannot`]
  const isRight = row.visible === waiting && row.inFlight === inFlight && row.delayed === delayed
  const cells = line?.split(/ {2,}/).slice(1, 4).join()
  return isRight && cells === [waiting, inFlight, delayed].join()
    ? []
    : [`counts ${name} as ${line}`]
}
