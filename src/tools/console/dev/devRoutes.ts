import { relative } from 'node:path'
import { RequestError } from '../reply.ts'
import { messageOf } from '../../../library/base/errors.ts'
import { isoTime } from '../../../library/base/time.ts'
import type { LocalCloud } from '../../../testing/local/cloud/openCloud.ts'
import type { OutsideSystems } from '../../../testing/local/dev/outsideSystems.ts'
import type { RecordedRun } from '../../../testing/local/dev/replayRun.ts'
import { type Sending, sendToCloud } from '../../../testing/local/dev/sendToCloud.ts'
import type { CloudDescription } from '../../../testing/local/description/description.ts'
import { isUniqueRequestId } from '../../../library/protocol/record/envelope/lineclearAttributes.ts'
import type { BooksReader } from './books.ts'
import { type Controls, faultOf } from './controls.ts'
import type { HandlersProcess } from './handlersProcess.ts'
import type { Described } from './protocol.ts'
import type { Running } from './running.ts'
import { saveTest } from './saveTest.ts'
import type { DevSession } from './session.ts'
import type {
  DevSample,
  DevState,
  FaultBody,
  KillNext,
  SaveAnswer,
  DevSendAnswer,
  SendBody,
} from './types.ts'
import type { OwnRoutes } from '../api.ts'

interface DevParts {
  /** FILE, from `cwd`. */
  readonly file: string
  readonly cwd: string
  readonly managed: boolean
  readonly cloud: LocalCloud
  readonly outside: OutsideSystems
  readonly session: DevSession
  readonly running: Running
  readonly controls: Controls
  readonly books: BooksReader
  readonly handlers: HandlersProcess
  /** What FILE describes, from the last load that succeeded. */
  described(): Described
}

/** The routes by their names behind `/api/`. Only the page has the token, so a body is of the type that the page sends. */
export function devRoutes(parts: DevParts): OwnRoutes {
  const state = async (): Promise<DevState> => stateOf(parts)
  return {
    get: { dev: state, 'dev/books': parts.books.read },
    post: {
      'dev/send': async (body) => send(parts, body as unknown as SendBody),
      'dev/fault': async (body) => {
        fault(parts, body as unknown as FaultBody)
        return state()
      },
      'dev/save': async () => save(parts),
    },
  }
}

function stateOf(parts: DevParts): DevState {
  const { cwd, controls, handlers, running, outside } = parts
  const { since, files, ...health } = handlers.health()
  const { consumers, outside: systems } = parts.described()
  return {
    file: parts.file,
    ...health,
    since: isoTime(since),
    files: files.map((file) => relative(cwd, file)),
    seed: controls.seed,
    consumers: consumers.map((consumer) => {
      const { queue } = consumer
      const killNext = controls.kills().get(queue)
      return {
        ...consumer,
        faults: controls.faultsOf(consumer),
        ...(killNext !== undefined && { killNext }),
        paused: controls.paused().includes(queue),
        running: running.count(queue),
      }
    }),
    outside: systems.map((name) => ({
      name,
      url: outside.urls[name] ?? '',
      state: outside.stateOf(name).state,
      calls: outside.calls(name).length,
    })),
    samples: samplesOf(parts),
  }
}

export function samplesOf({
  described,
  session,
}: Pick<DevParts, 'described' | 'session'>): readonly DevSample[] {
  const { cloud, samples } = described()
  const sampleOf = (to: string, kind: DevSample['kind']): DevSample => {
    const [own, last] = [samples[to], session.lastTo(to)]
    return {
      to,
      kind,
      ...(own !== undefined
        ? { payload: own.payload, from: 'file' }
        : last !== undefined && { payload: last.payload, from: 'sent' }),
      counts: own?.counts ?? false,
      topics: kind === 'queue' ? topicsTo(to, cloud) : [],
      fifo: to.endsWith('.fifo'),
    }
  }
  return [
    ...Object.keys(cloud.queues ?? {}).map((to) => sampleOf(to, 'queue')),
    // The name alone means the queue, which delivers the same.
    ...Object.keys(cloud.topics ?? {})
      .filter((to) => !Object.hasOwn(cloud.queues ?? {}, to))
      .map((to) => sampleOf(to, 'topic')),
  ]
}

async function send(parts: DevParts, body: SendBody): Promise<DevSendAnswer> {
  const { cloud, described, session, books } = parts
  const sendings = sendingsOf(body, described().cloud)
  const payloads = await payloadsFor(parts, body, sendings.length)
  const sent: string[] = []
  for (const [at, each] of sendings.entries()) {
    const sending = { ...each, payload: payloads[at] }
    const delivered = await sendToCloud(cloud, described().cloud, sending).catch(
      (error: unknown) => {
        throw new RequestError(400, `${messageOf(error)} (${sent.length} were sent before)`)
      },
    )
    session.add(sending, delivered)
    sent.push(delivered.request)
  }
  books.touch()
  return { sent }
}

const MOST = 1_000

/** @throws RequestError 404 for what the cloud does not have */
export function sendingsOf(
  { to, times = 1, twice = false, bySns, uniqueRequestId: id, group }: SendBody,
  cloud: CloudDescription,
): readonly Omit<Sending, 'payload'>[] {
  const isQueue = Object.hasOwn(cloud.queues ?? {}, to)
  if (!isQueue && !Object.hasOwn(cloud.topics ?? {}, to)) {
    throw new RequestError(404, `FILE has no queue and no topic ${JSON.stringify(to)}`)
  }
  if (bySns !== undefined && !topicsTo(to, cloud).includes(bySns)) {
    throw new RequestError(404, `bySns: the topic ${bySns} does not deliver to ${to}`)
  }
  // With `times` a number of up to four digits is added.
  if (id !== undefined && !(isUniqueRequestId(id) && id.length <= 250)) {
    throw new RequestError(
      400,
      'uniquerequestid: expected 1 to 250 printable characters, no spaces',
    )
  }
  const topic = bySns ?? (isQueue ? undefined : to)
  return Array.from({ length: Math.min(times, MOST) }, (_, at) => ({
    to,
    ...(twice && { copies: 2 }),
    ...(topic !== undefined && { bySns: topic }),
    ...(id !== undefined && { uniqueRequestId: at === 0 ? id : `${id}-${at + 1}` }),
    ...(group !== undefined && { group }),
  }))
}

/** The topics that a queue is subscribed to. */
function topicsTo(queue: string, { topics = {} }: CloudDescription): readonly string[] {
  return Object.entries(topics)
    .filter(([, { subscriptions = [] }]) => subscriptions.some((each) => each.queue === queue))
    .map(([topic]) => topic)
}

async function payloadsFor(
  { handlers, described, session }: DevParts,
  { to, payload }: SendBody,
  count: number,
): Promise<readonly unknown[]> {
  if (payload !== undefined) return Array.from({ length: count }, () => payload)
  const sample = described().samples[to]
  if (sample === undefined) {
    throw new RequestError(400, `payload: FILE has no sample for ${to}, so a payload is needed`)
  }
  if (!sample.counts) return Array.from({ length: count }, () => sample.payload)
  const peer = handlers.peer()
  if (peer === undefined) {
    throw new RequestError(
      409,
      'the handlers are not loaded, so FILE makes no samples: wait, or give a payload',
    )
  }
  const first = session.count() + 1
  return Promise.all(
    Array.from({ length: count }, (_, at) => peer.ask('sample', { to, number: first + at })),
  )
}

function fault({ controls, described, handlers, outside }: DevParts, given: FaultBody): void {
  if ('outside' in given) {
    if (!described().outside.includes(given.outside)) {
      throw new RequestError(404, `FILE has no outside system ${JSON.stringify(given.outside)}`)
    }
    outside.set(given.outside, given.state)
    return
  }
  const queue = given.consumer
  const consumer = described().consumers.find((each) => each.queue === queue)
  if (consumer === undefined) {
    throw new RequestError(404, `FILE has no consumer of the queue ${JSON.stringify(queue)}`)
  }
  if ('faults' in given) {
    controls.setFaults(queue, { ...controls.faultsOf(consumer), ...given.faults })
    handlers.peer()?.tell('setFaults', { queue, faults: controls.faultsOf(consumer) })
  } else {
    controls.setKill(queue, given.killNext)
    strike(handlers, queue, given.killNext)
  }
}

/** @param kill null takes back what waits */
export function strike(handlers: HandlersProcess, queue: string, kill: KillNext | null): void {
  const { when: _, ...match } = kill ?? {}
  handlers.peer()?.tell('strike', { queue, fault: kill && faultOf(kill), match })
}

async function save(parts: DevParts): Promise<SaveAnswer> {
  const { file, cwd, books, session } = parts
  const { books: read } = await books.read()
  const red = read.filter(({ state }) => state === 'red').map(({ name }) => name)
  return saveTest({ cwd, file, run: recordedRun(parts), red, thrown: session.thrown() })
}

function recordedRun({ session, controls, managed, outside, described }: DevParts): RecordedRun {
  const { consumers, outside: systems } = described()
  const states = systems
    .map((name) => [name, outside.stateOf(name).state] as const)
    .filter(([, state]) => state !== 'up')
  const shuffle = consumers
    .filter((consumer) => controls.faultsOf(consumer).shuffle === true)
    .map(({ queue }) => queue)
  return {
    seed: controls.seed,
    ...session.recorded(),
    ...(managed && { managed }),
    ...(shuffle.length > 0 && { shuffle }),
    ...(states.length > 0 && { outside: Object.fromEntries(states) }),
  }
}
