import { relative } from 'node:path'
import { JSON_VERSION, RequestError } from '../reply.ts'
import type { Clock } from '../../../base/clock.ts'
import { messageOf } from '../../../base/errors.ts'
import { isoTime } from '../../../base/time.ts'
import type { LocalCloud } from '../../../testing/local/cloud/openCloud.ts'
import type { OutsideSystems } from '../../../testing/local/dev/outsideSystems.ts'
import type { RecordedRun } from '../../../testing/local/dev/replayRun.ts'
import { sendToCloud } from '../../../testing/local/dev/sendToCloud.ts'
import type { Books } from './books.ts'
import { type Controls, faultOf } from './controls.ts'
import type { HandlersProcess } from './handlersProcess.ts'
import type { Described, HandlersOf } from './protocol.ts'
import { readFields, readFault, readSend, topicsTo } from './readBody.ts'
import { replayInChild } from './replayInChild.ts'
import type { Running } from './running.ts'
import { saveTest } from './saveTest.ts'
import type { Session } from './session.ts'
import type { DevSample, DevSent, DevState, KillNext, SendAnswer } from './types.ts'
import type { OwnRoutes } from '../api.ts'

interface DevParts {
  /** FILE, from `cwd`. */
  readonly file: string
  readonly cwd: string
  readonly clock: Clock
  readonly managed: boolean
  readonly cloud: LocalCloud
  readonly outside: OutsideSystems
  readonly session: Session
  readonly running: Running
  readonly controls: Controls
  readonly books: Books
  readonly handlers: HandlersProcess
  /** Both of the last load that succeeded. */
  described(): Described
  made(): HandlersOf
}

/** The routes by their names behind `/api/`. */
export function devRoutes(parts: DevParts): OwnRoutes {
  const { books, clock, handlers } = parts
  const state = async (): Promise<DevState> => stateOf(parts, isoTime(clock.now()))
  const said = (fields: object): object => ({
    version: JSON_VERSION,
    at: isoTime(clock.now()),
    ...fields,
  })
  return {
    get: { dev: state, 'dev/books': books.read },
    post: {
      'dev/send': async (body) =>
        said({ sent: await send(parts, body) } satisfies Told<SendAnswer>),
      'dev/fault': async (body) => {
        fault(parts, body)
        return state()
      },
      'dev/reload': async (body) => {
        readFields(body, [])
        handlers.reload()
        return state()
      },
      'dev/save': async (body) => said(await save(parts, body)),
    },
  }
}

type Told<Answer> = Omit<Answer, 'version' | 'at'>

function stateOf(parts: DevParts, at: string): DevState {
  const { cwd, controls, handlers, running, outside } = parts
  const { since, files, ...health } = handlers.health()
  const { consumers, outside: systems } = parts.described()
  return {
    version: JSON_VERSION,
    at,
    file: parts.file,
    ...health,
    since: isoTime(since),
    files: files.map((file) => relative(cwd, file)),
    seed: controls.seed,
    consumers: consumers.map((consumer) => {
      const { queue, functionName } = consumer
      const killNext = controls.kills().get(queue)
      return {
        queue,
        functionName,
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

function samplesOf({ described, session }: DevParts): readonly DevSample[] {
  const { cloud, samples } = described()
  const sent = session.newest(Number.MAX_SAFE_INTEGER)
  const sampleOf = (to: string, kind: DevSample['kind']): DevSample => {
    return {
      to,
      kind,
      ...samplePayload({ samples, sent }, to),
      counts: samples[to]?.counts ?? false,
      topics: kind === 'queue' ? topicsTo(to, cloud) : [],
      fifo: to.endsWith('.fifo'),
    }
  }
  return [
    ...Object.keys(cloud.queues ?? {}).map((to) => sampleOf(to, 'queue')),
    ...Object.keys(cloud.topics ?? {}).map((to) => sampleOf(to, 'topic')),
  ]
}

async function send(parts: DevParts, body: unknown): Promise<readonly DevSent[]> {
  const { cloud, described, session, books } = parts
  const plan = readSend(body, described().cloud)
  const first = session.newest(1)[0]?.number ?? 0
  const payloads = await payloadsFor(parts, plan.to, plan.payload, plan.sendings.length, first)
  const sendings = plan.sendings.map((each, at) => ({ ...each, payload: payloads[at] }))
  const sent: DevSent[] = []
  for (const sending of sendings) {
    const delivered = await sendToCloud(cloud, described().cloud, sending).catch(
      (error: unknown) => {
        throw new RequestError(400, `${messageOf(error)} (${sent.length} were sent before)`)
      },
    )
    sent.push(session.add(sending, delivered, isoTime(parts.clock.now())))
  }
  books.touch()
  return sent
}

async function payloadsFor(
  { handlers, described }: DevParts,
  to: string,
  given: { readonly is: unknown } | undefined,
  count: number,
  first: number,
): Promise<readonly unknown[]> {
  if (given !== undefined) return Array.from({ length: count }, () => given.is)
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
  return Promise.all(
    Array.from({ length: count }, (_, at) => peer.ask('sample', { to, number: first + at + 1 })),
  )
}

function fault({ controls, described, handlers, outside }: DevParts, body: unknown): void {
  const given = readFault(body)
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
    controls.setFaults(queue, given.faults)
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

async function save(parts: DevParts, body: unknown) {
  const { file, cwd, books } = parts
  const { books: read } = await books.read()
  const red = read.filter(({ state }) => state === 'red').map(({ name }) => name)
  const run = recordedRun(parts)
  const thrown = parts.session.thrown()
  return saveTest(body, {
    cwd,
    file,
    title: red[0] ?? thrown[0] ?? 'a run of lineclear dev',
    run,
    check: async () => replayInChild({ cwd, file, run, red, thrown }),
  })
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

interface Known extends Pick<Described, 'samples'> {
  /** Newest first. */
  readonly sent: readonly Pick<DevSent, 'to' | 'payload'>[]
}

/** What to offer for a queue or a topic: the sample of FILE, else what was sent last. */
export function samplePayload(
  { samples, sent }: Known,
  to: string,
): Pick<DevSample, 'payload' | 'from'> {
  const own = samples[to]
  if (own !== undefined) return { payload: own.payload, from: 'file' }
  const last = sent.find((each) => each.to === to)
  return last === undefined ? {} : { payload: last.payload, from: 'sent' }
}
